"""Moving labels and removing versions: what the commands do."""

import shutil
import tempfile
from pathlib import Path

from export.errors import ExportError
from export.publishing.durable import move
from export.publishing.folder_lock import folder_lock
from export.publishing.model_labels import CANARY, STABLE, ModelLabels
from export.publishing.version_folders import version_folder, version_numbers


def promote(models_dir: Path, model: str, to: int | None) -> tuple[int | None, int]:
    """Makes a version the stable one: the canary, where none is named.

    Returns:
        The stable version before, and now.

    Raises:
        ExportError: there is no such version, or no canary.
    """
    with folder_lock(models_dir):
        labels = ModelLabels(models_dir)
        wanted = to if to is not None else labels.of(model).get(CANARY)
        if wanted is None:
            raise ExportError(f"{model} has no canary: name a version with --to")
        return _make_stable(labels, models_dir, model, wanted)


def roll_back(models_dir: Path, model: str, to: int | None) -> tuple[int | None, int]:
    """Makes an earlier version the stable one: the one before it, where none is named.

    Returns:
        The stable version before, and now.

    Raises:
        ExportError: there is no such version, or no earlier one.
    """
    with folder_lock(models_dir):
        labels = ModelLabels(models_dir)
        numbers = version_numbers(models_dir / model)
        stable = labels.of(model).get(STABLE, numbers[-1])
        earlier = [number for number in numbers if number < stable]
        wanted = to if to is not None else max(earlier, default=None)
        if wanted is None:
            raise ExportError(
                f"{model} has no version before {stable}, the stable one; it has "
                f"{', '.join(map(str, numbers))}"
            )
        if wanted >= stable:
            raise ExportError(
                f"{model}: version {wanted} is not before {stable}, the stable one; "
                "`python -m export promote` goes forward"
            )
        return _make_stable(labels, models_dir, model, wanted)


def prune(models_dir: Path, model: str, keep: int, *, dry_run: bool) -> list[Path]:
    """Removes the oldest versions, but none of the newest `keep` and none that has a label.

    The newest is never removed, so its number, and those before it, are never used again.

    Returns:
        The folders that were removed, or would be.
    """
    with folder_lock(models_dir):
        folder = models_dir / model
        labelled = set(ModelLabels(models_dir).of(model).values())
        old = version_numbers(folder)[: -max(keep, 1)]
        doomed = [version_folder(folder, number) for number in old if number not in labelled]
        if dry_run or not doomed:
            return doomed
        hidden = Path(tempfile.mkdtemp(prefix=f".{model}-pruned-", dir=models_dir))
        for version in doomed:
            # At once, for a server that looks meanwhile: the files go afterwards.
            move(version, hidden / version.name)
        shutil.rmtree(hidden)
    return doomed


def _make_stable(
    labels: ModelLabels, models_dir: Path, model: str, number: int
) -> tuple[int | None, int]:
    numbers = version_numbers(models_dir / model)
    if number not in numbers:
        raise ExportError(f"{model} has no version {number}; it has {', '.join(map(str, numbers))}")
    before = labels.of(model)
    labels.put(model, {**before, STABLE: number})
    labels.write()
    return before.get(STABLE), number
