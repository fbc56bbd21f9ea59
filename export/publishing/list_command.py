"""`python -m export list`: what is published, and which versions carry labels."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.table import Table

from export.publishing.listing import Published, published
from export.publishing.running import run_command

_COLUMNS = ("model", "version", "labels", "form", "MB", "accuracy", "gates", "exported", "of")


@dataclass(frozen=True, kw_only=True)
class ListConfig:
    """List the published versions with their labels, sizes, accuracy and gates."""

    models_dir: Path = Path("models")
    """Holds MODEL/VERSION."""

    model: str | None = None
    """Only this one."""

    json: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Print JSON, a list of versions."""


def main(arguments: list[str]) -> int:
    """Lists; 2 where there is nothing."""
    return run_command("list", ListConfig, _list, arguments)


def _list(config: ListConfig) -> None:
    rows = published(config.models_dir, config.model)
    if config.json:
        print(json.dumps([asdict(row) for row in rows]))
        return
    table = Table(*_COLUMNS, box=None)
    for row in rows:
        table.add_row(*_cells(row))
    console = Console(soft_wrap=True, highlight=False)
    console.print(table, width=None if console.is_terminal else 200)


def _cells(row: Published) -> list[str]:
    form = " ".join(part for part in (row.precision, row.weights) if part)
    return [
        row.model,
        f"{row.version}{' (newest)' if row.is_newest else ''}",
        ", ".join(row.labels) or "-",
        form or "-",
        f"{row.bytes / 1e6:.1f}",
        "-" if row.accuracy is None else f"{row.accuracy:.1%}",
        row.gates or "-",
        row.date or "-",
        row.source_run or "-",
    ]
