"""A folder of photos as the user keeps them: one folder a class, with or without a split.

    DATA/cats/*.jpg              DATA/train/cats/*.jpg    DATA/validation/cats/*.jpg
    DATA/dogs/*.jpg       or     DATA/train/dogs/*.jpg    DATA/validation/dogs/*.jpg

Nothing is opened here: a photo is a path and the number of its class.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np

from training.errors import TrainingError

_NOT_PHOTOS = frozenset({"thumbs.db", "desktop.ini"})


@dataclass(frozen=True)
class Photo:
    """An encoded photo on disk and the number of its class."""

    path: Path
    label: int


@dataclass(frozen=True, kw_only=True)
class PhotoFolder:
    """The photos of a folder; without a validation/ folder, `validation` is empty."""

    labels: tuple[str, ...]
    train: tuple[Photo, ...]
    validation: tuple[Photo, ...]


def read_photo_folder(folder: Path) -> PhotoFolder:
    """List the photos in class folders; hidden files and the desktop's own are passed over.

    Raises:
        TrainingError: there is no such folder, it has fewer than two classes, or train/ and
            validation/ have different ones.
    """
    if not folder.exists():
        raise TrainingError(f"{folder}: no such folder; --data names a folder of class folders")
    if not folder.is_dir():
        raise TrainingError(f"{folder}: a file; --data names a folder of class folders")
    has_split = (folder / "train").is_dir()
    train_dir = folder / "train" if has_split else folder
    validation_dir = folder / "validation"
    labels = _class_names(train_dir)
    if not has_split or not validation_dir.is_dir():
        return PhotoFolder(labels=labels, train=_photos(train_dir, labels), validation=())
    if (others := _class_names(validation_dir)) != labels:
        raise TrainingError(
            f"{folder}: train/ has the classes {_listed(labels)}, validation/ has "
            f"{_listed(others)}; they must be the same"
        )
    return PhotoFolder(
        labels=labels,
        train=_photos(train_dir, labels),
        validation=_photos(validation_dir, labels),
    )


def split_photos(
    photos: Iterable[Photo],
    fraction: float,
    seed: int,
    copies: Mapping[Path, Path] = MappingProxyType({}),
) -> tuple[tuple[Photo, ...], tuple[Photo, ...]]:
    """Set aside a share of each class, at least one photo; the same seed sets aside the same.

    Args:
        photos: in any order; the split depends on their paths alone.
        fraction: share of each class to set aside, to the nearest whole number of photos.
        seed: fixes which.
        copies: the original of each photo that is a copy; they go to the same part.

    Returns:
        The photos to train on and those to validate on, by class and path.

    Raises:
        TrainingError: a class has only one photo, not counting copies.
    """
    by_label: dict[int, dict[Path, list[Photo]]] = defaultdict(lambda: defaultdict(list))
    for photo in sorted(photos, key=lambda photo: photo.path):
        by_label[photo.label][copies.get(photo.path, photo.path)].append(photo)
    train: list[Photo] = []
    validation: list[Photo] = []
    for label, same in sorted(by_label.items()):
        kinds = list(same.values())
        if len(kinds) < 2:
            raise TrainingError(
                f"{kinds[0][0].path}: the only photo of its class (copies are not counted); at "
                "least two are needed, one of them for validation"
            )
        order = np.random.default_rng([seed, label]).permutation(len(kinds))
        aside = _set_aside([kinds[i] for i in order], fraction)
        for photo in (photo for kind in kinds for photo in kind):
            (validation if photo in aside else train).append(photo)
    return tuple(train), tuple(validation)


def _set_aside(kinds: list[list[Photo]], fraction: float) -> set[Photo]:
    count = sum(map(len, kinds))
    wanted = max(1, round(fraction * count))
    aside: set[Photo] = set()
    for kind in kinds[:-1]:
        if len(aside) < wanted:
            aside.update(kind)
    return aside


def _class_names(folder: Path) -> tuple[str, ...]:
    names = tuple(
        sorted(entry.name for entry in folder.iterdir() if entry.is_dir() and _is_visible(entry))
    )
    if not names:
        raise TrainingError(
            f"{folder}: no class folders in it; expected one folder of photos for each class, "
            f"as {folder / 'cats'} and {folder / 'dogs'}"
        )
    if len(names) == 1:
        raise TrainingError(
            f"{folder}: only one class, {names[0]!r}; a classifier needs at least two class folders"
        )
    return names


def _photos(folder: Path, labels: tuple[str, ...]) -> tuple[Photo, ...]:
    return tuple(
        Photo(path, number)
        for number, label in enumerate(labels)
        for path in sorted((folder / label).rglob("*"))
        if path.is_file() and _is_visible(path)
    )


def _is_visible(path: Path) -> bool:
    return not path.name.startswith(".") and path.name.lower() not in _NOT_PHOTOS


def _listed(labels: tuple[str, ...]) -> str:
    return ", ".join(labels)
