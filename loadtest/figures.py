"""The figures of a report, as SVG that is legible on light and dark pages and on a phone.

Lines and letters are drawn in `currentColor`, so they take the colour of the text around them.
"""

import html
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from loadtest.run import Run
from loadtest.summary import Comparison, Summary

_INK = "#010203"  # stands for currentColor, which matplotlib cannot name
_COLORS = ("#e0762b", "#d9648a", "#3d8fd1", "#2aa17a", "#a877d6", "#b8931f")
_STYLE = {
    "svg.fonttype": "none",
    "font.size": 11,
    "font.family": "sans-serif",
    "text.color": _INK,
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "grid.color": _INK,
    "grid.alpha": 0.18,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "legend.fontsize": 10,
    "savefig.transparent": True,
    "path.simplify": False,
}
_INCHES = (5.0, 3.5)
_PERCENTS = (50.0, 95.0, 99.0, 99.9)
_STANDALONE_STYLE = (
    "<style>svg{color:#1f2328}@media(prefers-color-scheme:dark){svg{color:#e6edf3}}</style>"
)


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A figure: its file's name, its title, what it shows in words, and the SVG element."""

    name: str
    title: str
    words: str
    svg: str


def draw_figures(folder: Path, runs: Sequence[Run], summary: Summary) -> list[Drawing]:
    """Draws every figure, writes each to folder/NAME.svg, and gives them in the report's order."""
    colors = {
        target.name: color for target, color in zip(summary.targets, _COLORS * 2, strict=False)
    }
    first = [run for run in runs if run.repeat == 1]
    first.sort(key=lambda run: list(colors).index(run.target.name))
    drawings = [
        _draw("throughput", "Throughput", lambda f: _throughput(f, summary, colors)),
        _draw("percentiles", "Latency percentiles", lambda f: _percentiles(f, runs, colors)),
        _draw("latency_over_time", "Latency over time", lambda f: _over_time(f, first, colors)),
        _draw("memory_over_time", "Memory over time", lambda f: _memory(f, first, colors)),
    ]
    folder.mkdir()
    for drawing in drawings:
        opening, body = drawing.svg.split(">", 1)
        standalone = f"{opening}>{_STANDALONE_STYLE}{body}"
        (folder / f"{drawing.name}.svg").write_text(standalone)
    return drawings


def _draw(name: str, title: str, paint: Callable[[Any], str]) -> Drawing:
    """Makes one figure; `paint` draws into it and says in words what it shows."""
    with mpl.rc_context({**_STYLE, "svg.hashsalt": name}):
        figure = Figure(figsize=_INCHES, layout="constrained")
        words = paint(figure)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    return Drawing(name=name, title=title, words=words, svg=_inline(file.getvalue(), name, words))


def _inline(svg: str, name: str, words: str) -> str:
    """An SVG element for a page: scalable, described in words, with ids that no other has."""
    element = svg[svg.index("<svg") :].replace(_INK, "currentColor")
    element = re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    element = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", element)
    opening, body = element.split(">", 1)
    opening = re.sub(r'\s(width|height)="[^"]*"', "", opening)
    described = f'role="img" aria-labelledby="{name}-words"'
    return f'{opening} {described}><title id="{name}-words">{html.escape(words)}</title>{body}'


def _throughput(figure: Any, summary: Summary, colors: dict[str, str]) -> str:  # noqa: ANN401
    axes = figure.add_subplot()
    compared = {comparison.candidate: comparison for comparison in summary.comparisons}
    targets = summary.targets[::-1]
    rates = [target.throughput_rps for target in targets]
    names = [target.name for target in targets]
    axes.barh(names, rates, color=[colors[name] for name in names], height=0.6)
    for place, target in enumerate(targets):
        text = f"{target.throughput_rps:.1f}{_times(compared.get(target.name))}"
        text += "" if target.valid else ", INVALID"
        axes.annotate(
            text,
            (target.throughput_rps, place),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            fontsize=10,
        )
    axes.set_xlim(0, max([*rates, 1e-9]) * 2.1)  # room for the text behind the longest bar
    axes.set_xlabel("requests answered a second")
    axes.grid(visible=False, axis="y")
    said = ", ".join(f"{t.name} {t.throughput_rps:.1f}" for t in summary.targets)
    return f"Bars of requests a second: {said}."


def _times(comparison: Comparison | None) -> str:
    if comparison is None:
        return ""
    ratio = comparison.ratios["throughput"]
    if ratio.low is None or ratio.high is None:
        return f", {ratio.value:.2f}×"  # noqa: RUF001 - the sign of multiplication is meant
    return f", {ratio.value:.2f}× ({ratio.low:.2f}-{ratio.high:.2f})"  # noqa: RUF001


def _percentiles(figure: Any, runs: Sequence[Run], colors: dict[str, str]) -> str:  # noqa: ANN401
    axes = figure.add_subplot()
    said = []
    for name, color in colors.items():
        latency_ms = np.concatenate([r.figures.latency_ms for r in runs if r.target.name == name])
        if not len(latency_ms):
            continue
        # Beyond 1 - 1/n there is no request to see.
        tail = np.geomspace(1.0, max(len(latency_ms), 2), 200)
        shown = np.percentile(latency_ms, 100 * (1 - 1 / tail))
        axes.plot(tail, shown, color=color, label=name, linewidth=1.8)
        said.append(f"{name} P95 {np.percentile(latency_ms, 95):.0f} ms")
    axes.set_xscale("log")
    axes.set_xticks([1 / (1 - p / 100) for p in _PERCENTS], [f"{p:g} %" for p in _PERCENTS])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel("requests that were faster")
    axes.set_ylabel("latency, ms")
    _legend(figure, said)
    return f"Latency against percentile, on an axis of 1/(1-p): {', '.join(said)}."


def _over_time(figure: Any, runs: Sequence[Run], colors: dict[str, str]) -> str:  # noqa: ANN401
    figure.set_size_inches(_INCHES[0], 0.6 + 1.15 * len(runs))
    all_axes = figure.subplots(len(runs), sharex=True, squeeze=False)[:, 0]
    for axes, run in zip(all_axes, runs, strict=True):
        start_s = run.samples.start_s.min()
        _dots(axes, run.samples.end_s - start_s, run.samples.latency_ms, colors[run.target.name])
        axes.axvspan(0, run.window.start_s - start_s, color=_INK, alpha=0.1, linewidth=0)
        axes.set_title(run.target.name, loc="left", fontsize=10)
        axes.set_ylim(bottom=0)
        axes.set_ylabel("ms")
    all_axes[-1].set_xlabel("seconds since the load began (shaded: warm-up)")
    return "Latency of each request of the first repeat over time, a panel a target."


def _legend(figure: Any, said: list[str]) -> None:  # noqa: ANN401
    """A legend above the figure, unless there is no line to explain."""
    if said:
        figure.legend(loc="outside upper center", ncols=3)


def _dots(axes: Any, x: NDArray[np.float64], y: NDArray[np.float64], color: str) -> None:  # noqa: ANN401
    """Dots as one path of lines without length and with round ends: markers take ten times more."""
    apart = np.full(len(x), np.nan)
    axes.plot(
        np.column_stack([x, x, apart]).ravel(),
        np.column_stack([y, y, apart]).ravel(),
        color=color,
        linewidth=2.5,
        solid_capstyle="round",
    )


def _memory(figure: Any, runs: Sequence[Run], colors: dict[str, str]) -> str:  # noqa: ANN401
    axes = figure.add_subplot()
    said = []
    for run in runs:
        looks = [look for look in run.resources if look.role == "server"]
        if not looks:
            continue
        times_s = [look.time_s - run.origin_s for look in looks]
        sizes_mb = [look.pss_mb for look in looks]
        axes.plot(times_s, sizes_mb, color=colors[run.target.name], label=run.target.name)
        said.append(f"{run.target.name} up to {max(sizes_mb):.0f} MB")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("seconds since the server was started")
    axes.set_ylabel("memory (PSS), MB")
    _legend(figure, said)
    return f"Memory of the server over time in the first repeat: {', '.join(said)}."
