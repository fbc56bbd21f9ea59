"""What is published: a row a version."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from export.publishing.model_labels import ModelLabels
from export.publishing.models_folder import RECORD_FILE, read_record
from export.publishing.version_folders import models_in, version_folder, version_numbers


@dataclass(frozen=True, kw_only=True)
class Published:
    """One version, with what its export.json tells; None where another tool wrote it."""

    model: str
    version: int
    labels: tuple[str, ...]
    is_newest: bool
    bytes: int
    precision: str | None
    weights: str | None
    accuracy: float | None
    """On the validation photos that its gates saw."""
    gates: str | None
    """How many of its gates passed, as `19/19`."""
    date: str | None
    """When it was exported, UTC."""
    source_run: str | None


def published(models_dir: Path, only: str | None) -> list[Published]:
    """Every version of every model, or of one.

    Raises:
        ExportError: there is none.
    """
    labels = ModelLabels(models_dir)
    return [
        _row(models_dir / model, number, labels.of(model), numbers[-1])
        for model in models_in(models_dir, only)
        for numbers in [version_numbers(models_dir / model)]
        for number in numbers
    ]


def _row(folder: Path, number: int, labels: dict[str, int], newest: int) -> Published:
    version = version_folder(folder, number)
    record = read_record(version / RECORD_FILE)
    gates = [gate for gate in record.get("gates", []) if isinstance(gate, dict)]
    return Published(
        model=folder.name,
        version=number,
        labels=tuple(sorted(label for label, named in labels.items() if named == number)),
        is_newest=number == newest,
        bytes=sum(file.stat().st_size for file in version.rglob("*") if file.is_file()),
        precision=record.get("precision"),
        weights=record.get("weights"),
        accuracy=_accuracy(gates),
        gates=f"{sum(bool(gate.get('passed')) for gate in gates)}/{len(gates)}" if gates else None,
        date=record.get("date"),
        source_run=record.get("source_run"),
    )


def _accuracy(gates: list[dict[str, Any]]) -> float | None:
    return next((gate.get("figure") for gate in gates if gate.get("name") == "accuracy"), None)
