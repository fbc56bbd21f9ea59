"""Weights and optimizer after a whole epoch, one file each, to go on from.

`checkpoints/epoch-0003.npz` holds every variable by its path. Zip's checksums tell a damaged
file. The last two are kept, so that a damaged one costs an epoch and not the training.
"""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from training.atomic_file import replacing
from training.errors import TrainingError

_KEPT = 2

Variables = Sequence[Any]


def save_checkpoint(folder: Path, epochs: int, variables: Variables) -> None:
    """Write the variables after `epochs` whole epochs; older files than the last two go."""
    folder.mkdir(exist_ok=True)
    with replacing(_path(folder, epochs)) as beside, beside.open("wb") as file:
        values: dict[str, Any] = {variable.path: variable.numpy() for variable in variables}
        np.savez(file, allow_pickle=False, **values)
    for old in _paths(folder)[:-_KEPT]:
        old.unlink()


def restore_checkpoint(folder: Path, variables: Variables) -> int:
    """Set the variables to the newest checkpoint.

    Returns:
        How many whole epochs it stands for; 0, and nothing set, where there is none.

    Raises:
        TrainingError: the newest file is cut, damaged, or of another network.
    """
    paths = _paths(folder)
    if not paths:
        return 0
    newest = paths[-1]
    try:
        values = _read(newest, variables)
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
        advice = f"go on from {paths[-2].name}" if len(paths) > 1 else "start from the first epoch"
        raise TrainingError(
            f"{newest}: this checkpoint is damaged; remove the file to {advice}"
        ) from error
    for variable in variables:
        variable.assign(values[variable.path])
    return int(newest.stem.removeprefix("epoch-"))


def _read(path: Path, variables: Variables) -> Mapping[str, Any]:
    with path.open("rb") as file, np.load(file) as archive:
        values = {variable.path: archive[variable.path] for variable in variables}
    for variable in variables:
        if values[variable.path].shape != tuple(variable.shape):
            raise ValueError(variable.path)
    return values


def _path(folder: Path, epochs: int) -> Path:
    return folder / f"epoch-{epochs:04d}.npz"


def _paths(folder: Path) -> list[Path]:
    return sorted(folder.glob("epoch-[0-9]*.npz"))
