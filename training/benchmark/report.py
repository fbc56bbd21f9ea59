"""A benchmark's results: bench.json, bench.md and bench.svg, each written as a whole."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from graphmode.machine import this_machine
from training.atomic_file import replacing, write_text
from training.benchmark.interleaved import METHOD, Measured, ratio


@dataclass(frozen=True, kw_only=True)
class Condition:
    """What was asked of a figure."""

    asked: str
    measured: float
    is_met: bool


@dataclass(frozen=True, kw_only=True)
class Table:
    """One table: rows in order, the first of them the baseline."""

    title: str
    work: str
    """What each row does in a round."""
    rows: tuple[Measured, ...]
    findings: tuple[str, ...]
    conditions: tuple[Condition, ...] = ()
    data_wait: float | None = None


def write_report(folder: Path, tables: Sequence[Table]) -> dict[str, Any]:
    """Write the tables' results into a folder; gives what bench.json holds."""
    folder.mkdir(parents=True, exist_ok=True)
    facts = {
        "machine": asdict(this_machine()) | {"load_average": os.getloadavg()[0]},
        "method": METHOD,
        "tables": [_as_json(t) for t in tables],
    }
    write_text(folder / "bench.json", json.dumps(facts, indent=2) + "\n")
    write_text(folder / "bench.md", markdown(facts))
    with replacing(folder / "bench.svg") as beside:
        _draw(tables, beside)
    return facts


def markdown(facts: dict[str, Any]) -> str:
    """Write the facts of bench.json as a page."""
    machine = facts["machine"]
    lines = ["# Measured", ""]
    for table in facts["tables"]:
        lines += [f"## {table['title']}", "", f"{table['work']}", ""]
        lines += [
            "| row | images/s | times the first row | cores | traces | another batch size |",
            "|---|---|---|---|---|---|",
            *(_line(row) for row in table["rows"]),
            "",
            *(f"* {finding}" for finding in table["findings"]),
            "",
        ]
        lines += [
            f"* {'Met' if one['is_met'] else 'NOT met'}: {one['asked']}; measured "
            f"{one['measured']:.3g}."
            for one in table["conditions"]
        ]
        lines.append("")
    lines += [
        "![The ratios with their intervals](bench.svg)",
        "",
        f"{facts['method']}",
        "",
        (
            f"{machine['date']}, commit {machine['commit']}, {machine['cores']} cores of "
            f"{machine['processor']} ({', '.join(machine['flags']) or 'no AVX2'}), "
            f"TensorFlow {machine['tensorflow']}, Keras {machine['keras']}, "
            f"Python {machine['python']}, load average {machine['load_average']:.1f} at the end."
        ),
        "",
    ]
    return "\n".join(lines)


def _line(row: dict[str, Any]) -> str:
    new_shape = "" if row["new_shape_s"] is None else f"{row['new_shape_s']:.2f} s"
    return (
        f"| {row['name']}: {row['what']} | {row['images_per_second']:.0f} | "
        f"{row['ratio']:.2f} ({row['low']:.2f} to {row['high']:.2f}) | {row['cores']:.2f} | "
        f"{row['traces'] or ''} | {new_shape} |"
    )


def _as_json(table: Table) -> dict[str, Any]:
    return {
        "title": table.title,
        "work": table.work,
        "rounds": len(table.rows[0].rounds),
        "rows": [_row(row, table.rows[0]) for row in table.rows],
        "findings": list(table.findings),
        "conditions": [asdict(condition) for condition in table.conditions],
        "data_wait": table.data_wait,
    }


def _row(row: Measured, baseline: Measured) -> dict[str, Any]:
    found = ratio(row, baseline)
    return {
        "name": row.name,
        "what": row.what,
        "images_per_second": row.images_per_second,
        "ratio": found.value,
        "low": found.low,
        "high": found.high,
        "cores": row.cores,
        "core_share": row.core_share,
        "traces": row.traces,
        "first_s": row.first_s,
        "new_shape_s": row.new_shape_s,
        "wall_s": [turn.wall_s for turn in row.rounds],
    }


def _draw(tables: Sequence[Table], path: Path) -> None:
    rows = sum(len(table.rows) for table in tables)
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "bench", "font.size": 10}):
        figure = Figure(figsize=(8, 0.42 * rows + 1.1 * len(tables)), layout="constrained")
        heights = [len(table.rows) + 1 for table in tables]
        places = figure.subplots(len(tables), squeeze=False, height_ratios=heights)
        for axes, table in zip(places[:, 0], tables, strict=True):
            _bars(axes, table)
        figure.savefig(path, format="svg", metadata={"Date": None})


def _bars(axes: Any, table: Table) -> None:  # noqa: ANN401 - matplotlib's axes are untyped here
    found = [ratio(row, table.rows[0]) for row in table.rows]
    values = [one.value for one in found]
    reach = [[one.value - one.low for one in found], [one.high - one.value for one in found]]
    axes.barh([row.name for row in table.rows], values, xerr=reach, color="#3d8fd1", capsize=3)
    axes.axvline(1, color="#666666", linewidth=1)
    axes.set_title(table.title, loc="left", fontsize=10)
    axes.set_xlabel("times the first row's images/s, with 95 % interval")
    axes.invert_yaxis()
    axes.spines[["top", "right"]].set_visible(False)
