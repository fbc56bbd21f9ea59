"""What lies in a SavedModel's folder beside its graph: sizes, labels, the record of an export."""

import json
from pathlib import Path
from typing import Any

from export.errors import ExportError
from export.guard.saved_model_file import GRAPH_FILES

WARMUP_FILE = Path("assets.extra") / "tf_serving_warmup_requests"
_RECORD_FILE = "export.json"
_LABELS = (Path("assets") / "labels.txt", Path("assets.extra") / "labels.txt")


def sizes_of(folder: Path) -> dict[str, int]:
    """Bytes of the files of each part; together they are the folder's."""
    sizes = dict.fromkeys(("graph", "variables", "assets", "warm-up", "other"), 0)
    for file in folder.rglob("*"):
        if file.is_file():
            sizes[_part(file.relative_to(folder))] += file.stat().st_size
    return sizes


def labels_of(folder: Path) -> list[str]:
    """The classes' names, one a line of labels.txt; none where there is no such file."""
    for path in _LABELS:
        if (folder / path).is_file():
            return (folder / path).read_text(encoding="utf-8", errors="replace").splitlines()
    return []


def record_of(folder: Path) -> dict[str, Any] | None:
    """What this project's export wrote into export.json; None where there is none.

    Raises:
        ExportError: the file is not a JSON object.
    """
    path = folder / _RECORD_FILE
    if not path.is_file():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ExportError(f"{path} is damaged: expected JSON ({error})") from error
    if not isinstance(record, dict):
        raise ExportError(f"{path} is damaged: expected a JSON object")
    return record


def _part(path: Path) -> str:
    if str(path) in GRAPH_FILES:
        return "graph"
    if path == WARMUP_FILE:
        return "warm-up"
    return path.parts[0] if path.parts[0] in {"variables", "assets"} else "other"
