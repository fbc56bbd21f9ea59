"""Photos of the same bytes: one seen in training and in validation makes accuracy look better."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from training.photo_folder import Photo


def originals(photos: Iterable[Photo]) -> dict[Path, Path]:
    """Find the photos that are copies; only files of the same size are read.

    Returns:
        For each copy, the first photo, by path, of the same bytes. Photos of which there is one
        only, and the first ones, are not in it.
    """
    by_size: dict[int, list[Path]] = defaultdict(list)
    for path in sorted({photo.path for photo in photos}):
        by_size[path.stat().st_size].append(path)
    found: dict[Path, Path] = {}
    for paths in by_size.values():
        first_of: dict[bytes, Path] = {}
        for path in paths if len(paths) > 1 else ():
            first = first_of.setdefault(hashlib.sha256(path.read_bytes()).digest(), path)
            if first != path:
                found[path] = first
    return found


def leaked(
    train: Iterable[Photo], validation: Iterable[Photo], copies: Mapping[Path, Path]
) -> tuple[tuple[Path, Path], ...]:
    """Give each validation photo that is trained on, too, with one of the training photos."""
    trained = {copies.get(photo.path, photo.path): photo.path for photo in train}
    pairs = ((photo.path, trained.get(copies.get(photo.path, photo.path))) for photo in validation)
    return tuple((path, twin) for path, twin in pairs if twin is not None)
