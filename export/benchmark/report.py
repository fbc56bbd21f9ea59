"""A benchmark's results: bench.json, bench.md and bench.svg."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from export.benchmark.conditions import conditions
from export.benchmark.config import BenchConfig
from export.benchmark.figure import draw
from export.benchmark.page import markdown
from export.benchmark.spread import spread
from export.benchmark.subject import ROWS
from export.benchmark.table import Row, Table, times_as_fast
from export.benchmark.warmup_proof import WarmupProof
from export.processor import Processor
from export.publishing.durable import replace_text
from graphmode.machine import this_machine

_COMPARED = (
    ("bf16 variables", "fp32 variables"),
    ("int8 variables", "fp32 variables"),
    ("int8 variables", "bf16 variables"),
    ("fp32 variables", "model.export"),
    ("fp32 frozen", "fp32 variables"),
    ("bf16 frozen", "bf16 variables"),
    ("int8 frozen", "int8 variables"),
)
"""Rows that the table alone does not set side by side."""


@dataclass(frozen=True, kw_only=True)
class Results:
    """What was measured."""

    config: BenchConfig
    tables: Mapping[str, Table]
    """By their cores, `all` and `1`."""
    proofs: Sequence[WarmupProof]
    load_average_before: float


def write_report(results: Results) -> dict[str, Any]:
    """Writes the three files; gives what bench.json holds."""
    folder = results.config.results_dir / "export"
    folder.mkdir(parents=True, exist_ok=True)
    processor = Processor()
    facts = {
        "machine": asdict(this_machine())
        | {
            "has_bf16": processor.has_bf16,
            "has_vnni": processor.has_vnni,
            "onednn": os.environ["TF_ENABLE_ONEDNN_OPTS"],
            "load_average_before": results.load_average_before,
            "load_average_after": os.getloadavg()[0],
        },
        "rounds": results.config.rounds,
        "repeats": results.config.repeats,
        "tables": [_table(table) for table in results.tables.values()],
        "warmup": [asdict(proof) for proof in results.proofs],
        "conditions": [asdict(condition) for condition in conditions(results.tables)],
    }
    text = json.dumps(facts, indent=2) + "\n"
    # Page and figure are made of what the file holds: JSON has no keys that are numbers.
    stored: dict[str, Any] = json.loads(text)
    replace_text(folder / "bench.json", text)
    replace_text(folder / "bench.md", markdown(stored))
    draw(stored, folder / "bench.svg")
    return stored


def _table(table: Table) -> dict[str, Any]:
    pairs = [(table.row(name), table.row(other)) for name, other in _COMPARED]
    return {
        "cores": table.cores,
        "compared_photos": table.compared_photos,
        "nothing_bytes": table.nothing_bytes,
        "rows": [_row(row, table.rows[0]) for row in table.rows],
        "compared": [_compared(row, other) for row, other in pairs if row and other],
    }


def _row(row: Row, baseline: Row) -> dict[str, Any]:
    return asdict(row) | {
        "latency_s": {rows: asdict(spread(row.round_s[rows])) for rows in ROWS},
        "times_eager": {rows: asdict(times_as_fast(row, baseline, rows)) for rows in ROWS},
    }


def _compared(row: Row, other: Row) -> dict[str, Any]:
    return {
        "row": row.name,
        "other": other.name,
        "times_as_fast": {rows: asdict(times_as_fast(row, other, rows)) for rows in ROWS},
        "memory": row.used_bytes / other.used_bytes,
    }
