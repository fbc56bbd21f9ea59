"""What a training knows after a step, one file each, to go on from.

`checkpoints/step-000123.npz` holds every variable under its group and path. Zip's checksums tell
a damaged file. The last two are kept, so that a damaged one costs some steps and not the training.
`checkpoints/best.npz` holds the variables after the best epoch so far, for early stopping.
"""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from training.atomic_file import replacing
from training.errors import TrainingError

_KEPT = 2
_BEST = "best.npz"

Groups = Mapping[str, Sequence[Any]]
"""Variables by what they belong to: two networks of one kind have the same paths."""


def save_checkpoint(folder: Path, step: int, groups: Groups) -> None:
    """Write the variables after `step` steps; older files than the last two go."""
    _write(_path(folder, step), groups)
    for old in _paths(folder)[:-_KEPT]:
        old.unlink()


def restore_checkpoint(folder: Path, groups: Groups) -> int:
    """Set the variables to the newest checkpoint.

    Returns:
        After how many steps it was written; 0, and nothing set, where there is none.

    Raises:
        TrainingError: the newest file is cut, damaged, or of another network.
    """
    paths = _paths(folder)
    if not paths:
        return 0
    before = paths[-2].name if len(paths) > 1 else None
    advice = f"go on from {before}" if before else "start from the first epoch"
    _restore(paths[-1], groups, f"remove the file to {advice}")
    return _step_of(paths[-1])


def newest_step(folder: Path) -> int:
    """After how many steps the newest checkpoint was written; 0 where there is none."""
    paths = _paths(folder)
    return _step_of(paths[-1]) if paths else 0


def save_best(folder: Path, groups: Groups) -> None:
    """Write the variables of the best epoch so far."""
    _write(folder / _BEST, groups)


def restore_best(folder: Path, groups: Groups) -> None:
    """Set the variables to those of the best epoch.

    Raises:
        TrainingError: the file is missing, damaged, or of another network.
    """
    _restore(folder / _BEST, groups, f"remove {folder.parent} to train anew")


def _write(path: Path, groups: Groups) -> None:
    path.parent.mkdir(exist_ok=True)
    values = {key: variable.numpy() for key, variable in _by_key(groups).items()}
    with replacing(path) as beside, beside.open("wb") as file:
        np.savez(file, allow_pickle=False, **values)


def _restore(path: Path, groups: Groups, advice: str) -> None:
    variables = _by_key(groups)
    try:
        values = _read(path, variables)
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise TrainingError(f"{path}: this checkpoint is damaged; {advice}") from error
    for key, variable in variables.items():
        variable.assign(values[key])


def _read(path: Path, variables: Mapping[str, Any]) -> Mapping[str, Any]:
    with path.open("rb") as file, np.load(file) as archive:
        values = {key: archive[key] for key in variables}
    for key, variable in variables.items():
        if values[key].shape != tuple(variable.shape):
            raise ValueError(key)
    return values


def _by_key(groups: Groups) -> dict[str, Any]:
    keyed = {
        f"{group}/{variable.path}": variable
        for group, variables in groups.items()
        for variable in variables
    }
    assert len(keyed) == sum(map(len, groups.values())), "two variables of a group have one path"
    return keyed


def _path(folder: Path, step: int) -> Path:
    return folder / f"step-{step:06d}.npz"


def _paths(folder: Path) -> list[Path]:
    return sorted(folder.glob("step-[0-9]*.npz"), key=_step_of)


def _step_of(path: Path) -> int:
    return int(path.stem.removeprefix("step-"))
