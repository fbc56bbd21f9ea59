"""The course of a training: laps of epochs, each lap with its own crop size."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from training.errors import TrainingError

_LAP = re.compile(r"(\d{1,4})x(\d{1,6})")
_SMALLEST, _LARGEST = 16, 1024


@dataclass(frozen=True)
class Lap:
    """Epochs at one crop size, in pixels."""

    size: int
    epochs: int


def read_course(course: Sequence[str]) -> tuple[Lap, ...]:
    """Read laps as in `64x60`: 60 epochs at 64 pixels.

    Raises:
        TrainingError: no lap, or one that is not written so or out of bounds.
    """
    if not course:
        raise TrainingError("course must have a lap, as in 64x60 (60 epochs at 64 pixels)")
    return tuple(_read_lap(text) for text in course)


def crop_sizes(laps: Sequence[Lap]) -> tuple[int, ...]:
    """The crop size of each epoch."""
    return tuple(lap.size for lap in laps for _ in range(lap.epochs))


def _read_lap(text: str) -> Lap:
    match = _LAP.fullmatch(text)
    if match is None:
        raise TrainingError(
            f"course: a lap is written SIZExEPOCHS, as in 64x60 (60 epochs at 64 pixels), "
            f"not {text!r}"
        )
    lap = Lap(int(match[1]), int(match[2]))
    if not _SMALLEST <= lap.size <= _LARGEST:
        raise TrainingError(
            f"course: a lap's size must be {_SMALLEST} to {_LARGEST} pixels, not {lap.size}"
        )
    if lap.epochs < 1:
        raise TrainingError(f"course: a lap must have at least 1 epoch, not {text!r}")
    return lap
