"""The photos of a training: tried, split, and what is wrong with them said."""

from collections import Counter
from collections.abc import Callable

from training.config import TrainConfig
from training.decodable import SkippedPhoto, sort_out
from training.errors import TrainingError
from training.photo_folder import Photo, PhotoFolder, split_photos

_NAMED = 5
"""Skipped files named one by one."""


def usable_photos(
    found: PhotoFolder, config: TrainConfig, say: Callable[[str], None]
) -> tuple[PhotoFolder, int]:
    """Leave out what cannot be decoded; set photos aside for validation where none are.

    Args:
        found: all photos.
        config: share and seed of the split.
        say: is told what was found.

    Returns:
        The photos that can be decoded, each class in both parts, and how many cannot.

    Raises:
        TrainingError: a class has no photo left.
    """
    say(f"looking through {len(found.train) + len(found.validation)} files")
    train, skipped = sort_out(found.train)
    validation, more_skipped = sort_out(found.validation)
    skipped += more_skipped
    _tell_skipped(skipped, say)
    _require_each_class(found.labels, train, skipped, "to train on")
    if found.validation:
        _require_each_class(found.labels, validation, skipped, "in validation/")
    else:
        train, validation = split_photos(train, config.validation_fraction, config.seed)
    photos = PhotoFolder(labels=found.labels, train=train, validation=validation)
    say(
        f"{len(train)} photos to train on, {len(validation)} to validate on, "
        f"classes: {', '.join(photos.labels)}"
    )
    return photos, len(skipped)


def _tell_skipped(skipped: tuple[SkippedPhoto, ...], say: Callable[[str], None]) -> None:
    if not skipped:
        return
    say(f"{len(skipped)} files are skipped, for they cannot be decoded:")
    for one in skipped[:_NAMED]:
        say(f"  {one.photo.path}: {one.reason}")
    if len(skipped) > _NAMED:
        say(f"  and {len(skipped) - _NAMED} more")


def _require_each_class(
    labels: tuple[str, ...],
    photos: tuple[Photo, ...],
    skipped: tuple[SkippedPhoto, ...],
    purpose: str,
) -> None:
    counts = Counter(photo.label for photo in photos)
    for number, label in enumerate(labels):
        if not counts[number]:
            refused = sum(one.photo.label == number for one in skipped)
            raise TrainingError(
                f"class {label!r} has no photo {purpose} "
                f"({refused} of its files cannot be decoded as JPEG, PNG, BMP, GIF or still WebP)"
            )
