"""bench.svg: the latency of each model as a bar, with its interval."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from export.benchmark.subject import ROWS
from export.benchmark.table import CORES, IMAGES


def draw(facts: dict[str, Any], path: Path) -> None:
    """Draws a line of panels for each table, one for each number of images."""
    tables = facts["tables"]
    height = sum(0.35 * len(table["rows"]) + 1.0 for table in tables)
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "bench", "font.size": 9}):
        figure = Figure(figsize=(10, height), layout="constrained")
        places = figure.subplots(len(tables), len(ROWS), squeeze=False)
        for line, table in zip(places, tables, strict=True):
            for axes, rows in zip(line, ROWS, strict=True):
                _bars(axes, table, rows)
        figure.savefig(path, format="svg", metadata={"Date": None})


def _bars(axes: Any, table: dict[str, Any], rows: int) -> None:  # noqa: ANN401 matplotlib's
    found = [row["latency_s"][str(rows)] for row in table["rows"]]
    values = [1000 * one["value"] for one in found]
    reach = [
        [1000 * (one["value"] - one["low"]) for one in found],
        [1000 * (one["high"] - one["value"]) for one in found],
    ]
    axes.barh(
        [row["name"] for row in table["rows"]], values, xerr=reach, color="#3d8fd1", capsize=3
    )
    axes.set_title(f"{IMAGES[rows]}, {CORES[table['cores']]}", loc="left", fontsize=9)
    axes.set_xlabel("ms, with 95 % interval")
    axes.invert_yaxis()
    axes.spines[["top", "right"]].set_visible(False)
