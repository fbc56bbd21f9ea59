"""The photos behind a run: those it was trained on and those it held out."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from export.config import ExportConfig
from export.errors import ExportError

PHOTOS_FILE = "photos.jsonl"
_SEED = 7


@dataclass(frozen=True)
class LabelledPhoto:
    """An encoded photo and the number of its class."""

    path: Path
    label: int


@dataclass(frozen=True, kw_only=True)
class Photos:
    """A sample of each part, drawn evenly and always the same."""

    calibration: tuple[LabelledPhoto, ...]
    """Trained on."""
    compared: tuple[LabelledPhoto, ...]
    """Held out."""


def read_photos(config: ExportConfig, labels: tuple[str, ...]) -> Photos:
    """Finds the photos that the run lists, or those of `photos_dir`.

    Raises:
        ExportError: there are none; a listed one is gone; or the list cannot be read.
    """
    parts: dict[str, list[LabelledPhoto]] = {"train": [], "validation": []}
    found = _in_folder(config.photos_dir, labels) if config.photos_dir else _listed(config.run_dir)
    for part, photo in found:
        parts.setdefault(part, []).append(photo)
    for part in ("train", "validation"):
        if not parts[part]:
            raise ExportError(
                f"{config.photos_dir or config.run_dir}: no photos of part {part!r}; they are "
                "needed to calibrate int8 and to compare forms: --photos_dir names a folder with "
                "train/ and validation/"
            )
    return Photos(
        calibration=_sample(parts["train"], config.calibration_photos),
        compared=_sample(parts["validation"], config.compared_photos),
    )


def _listed(run_dir: Path) -> Iterator[tuple[str, LabelledPhoto]]:
    path = run_dir / PHOTOS_FILE
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        found = [
            (str(row["part"]), LabelledPhoto(run_dir / row["path"], int(row["label"])))
            for row in rows
        ]
    except FileNotFoundError as error:
        raise ExportError(
            f"{path} is missing: the run does not say which photos it had; name them with "
            "--photos_dir, or train again"
        ) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ExportError(f"{path}: cannot be read ({error}); train again") from error
    for part, photo in found:
        if not photo.path.is_file():
            raise ExportError(
                f"{photo.path} was a photo of this run and is gone; --photos_dir names another "
                "folder of class folders"
            )
        yield part, photo


def _in_folder(folder: Path, labels: tuple[str, ...]) -> Iterator[tuple[str, LabelledPhoto]]:
    for part in ("train", "validation"):
        for number, label in enumerate(labels):
            for path in sorted((folder / part / label).rglob("*")):
                if path.is_file() and not path.name.startswith("."):
                    yield part, LabelledPhoto(path, number)


def _sample(photos: list[LabelledPhoto], most: int) -> tuple[LabelledPhoto, ...]:
    if len(photos) <= most:
        return tuple(photos)
    chosen = np.random.default_rng(_SEED).permutation(len(photos))[:most]
    return tuple(photos[index] for index in sorted(chosen))
