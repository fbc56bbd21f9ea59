"""One guarding: read, guard, write beside, compare, rename in."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from export.errors import ExportError
from export.guard.input_guard import InputGuard
from export.guard.saved_model_file import (
    FINGERPRINT_FILE,
    GRAPH_FILES,
    SavedModelFile,
    read_saved_model,
)
from export.guard.shape_guards import guard_inputs
from export.guard.verification import Comparison, compare
from export.progress import Narrator


@dataclass(frozen=True, kw_only=True)
class GuardReport:
    """What was written."""

    source: str
    target: str
    inputs: list[InputGuard]
    comparisons: list[Comparison]

    @property
    def added(self) -> int:
        """How many inputs have a guard that had none."""
        return sum(each.verdict == "added" for each in self.inputs)


def guard_saved_model(source: Path, target: Path, narrator: Narrator) -> GuardReport:
    """Writes the SavedModel in `source` to `target`, shape guards behind its inputs.

    `target` appears whole, once both models have answered alike; `source` is not touched.

    Raises:
        ExportError: `source` cannot be read, `target` cannot be written or exists, or the guarded
            model does not answer as the original.
    """
    _check_target(source, target)
    with narrator.doing(f"reading {source}"):
        file = read_saved_model(source)
        inputs = [
            guarded
            for meta_graph in file.saved_model.meta_graphs
            for guarded in guard_inputs(meta_graph)
        ]
    is_changed = any(each.verdict == "added" for each in inputs)
    with _beside(target) as written:
        with narrator.doing(f"writing {target}"):
            _write(source, written, file if is_changed else None)
        with narrator.doing("asking both models, in another process"):
            comparisons = compare(source, written, inputs)
        _rename(written, target)
    return GuardReport(
        source=str(source), target=str(target), inputs=inputs, comparisons=comparisons
    )


def _check_target(source: Path, target: Path) -> None:
    if os.path.lexists(target):
        raise ExportError(f"{target} exists: name a folder that does not, nothing is overwritten")
    if target.resolve().is_relative_to(source.resolve()):
        raise ExportError(f"{target} lies in {source}, which stays as it is: name another folder")
    if not target.parent.is_dir():
        raise ExportError(f"{target.parent} is no folder: make it, then guard again")


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A folder to be made on the file system of `target`, in a hidden one that no server reads."""
    try:
        hidden = tempfile.TemporaryDirectory(prefix=f".{target.name}-guard-", dir=target.parent)
    except OSError as error:
        raise ExportError(f"{target.parent} cannot be written ({error.strerror})") from error
    with hidden as folder:
        yield Path(folder) / "saved_model"


def _write(source: Path, folder: Path, changed: SavedModelFile | None) -> None:
    """Copies everything, but of a changed graph what belongs to the graph; all to the disk."""
    own = (*GRAPH_FILES, FINGERPRINT_FILE) if changed else ()

    def without_own(copied: str, names: list[str]) -> list[str]:
        return [name for name in names if name in own and Path(copied) == source]

    try:
        shutil.copytree(source, folder, ignore=without_own)
        if changed:
            folder.chmod(folder.stat().st_mode | stat.S_IWUSR)  # of a model that is write-protected
            has_fingerprint = (source / FINGERPRINT_FILE).is_file()
            changed.write(folder, with_fingerprint=has_fingerprint)
        for path in (*folder.rglob("*"), folder):
            _flush(path)
    except (OSError, shutil.Error) as error:
        raise ExportError(f"{source} cannot be copied to {folder.parent}: {error}") from error


def _rename(written: Path, target: Path) -> None:
    try:
        written.rename(target)
        _flush(target.parent)
    except OSError as error:
        raise ExportError(f"{target} cannot be written ({error.strerror})") from error


def _flush(path: Path) -> None:
    """Waits until a file or folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
