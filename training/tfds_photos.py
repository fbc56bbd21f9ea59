"""Photos of tensorflow-datasets, written once as class folders like the user's own.

    tfds:NAME[:VERSION] --download, prepare--> tensorflow-datasets' own folder
                        --encoded photos-----> FOLDER/train/CLASS/000000.jpg, FOLDER/validation/...

Files hold the dataset's bytes, not decoded on the way. tensorflow-datasets keeps what it downloads
where it always does: in TFDS_DATA_DIR, or a folder in the user's home.
"""

import shutil
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from training.duplicates import originals
from training.errors import TrainingError
from training.photo_folder import PhotoFolder, read_photo_folder, split_photos

PREFIX = "tfds:"
"""What `--data` begins with to name a dataset instead of a folder."""

_VALIDATION_SPLITS = ("validation", "test")


@dataclass(frozen=True, kw_only=True)
class _Dataset:
    """A dataset of photos, each with one class."""

    builder: Any
    image: str
    """Name of the feature that is the photo."""

    label: str
    """Name of the feature that is its class."""


def tfds_photos(data: str, folder: Path, fraction: float, seed: int) -> PhotoFolder:
    """Give a dataset's photos from `folder`, written there if it does not exist yet.

    Args:
        data: `tfds:NAME` or `tfds:NAME:VERSION`, as tensorflow-datasets knows it.
        folder: is written as a whole or not at all.
        fraction: share of each class set aside where the dataset has neither a validation nor a
            test split.
        seed: fixes which.

    Raises:
        TrainingError: tensorflow-datasets is not installed, does not know the dataset or cannot
            download it, or the dataset is none of photos with a class each.
    """
    if not folder.is_dir():
        dataset = _find(data)
        _prepare(dataset.builder, data)
        beside = folder.with_name(f".part-{folder.name}")
        shutil.rmtree(beside, ignore_errors=True)
        try:
            _write_class_folders(dataset, beside)
            if not (beside / "validation").is_dir():
                _move_aside(beside, fraction, seed)
            beside.replace(folder)
        except OSError as error:
            raise TrainingError(f"{folder}: cannot be written: {error.strerror}") from error
    return read_photo_folder(folder)


def _find(data: str) -> _Dataset:
    tfds = _tensorflow_datasets(data)
    try:
        # A builder is code of one of many authors, and may raise anything.
        builder = tfds.builder(data.removeprefix(PREFIX))
    except Exception as error:
        raise TrainingError(
            f"{data}: not a dataset of tensorflow-datasets {tfds.__version__}: {_line(error)}"
        ) from error
    features, keys = builder.info.features, builder.info.supervised_keys
    if keys is None or [type(features[key]) for key in keys] != [
        tfds.features.Image,
        tfds.features.ClassLabel,
    ]:
        raise TrainingError(
            f"{data}: not a dataset of photos with a class each; expected supervised keys for an "
            f"Image and a ClassLabel, got {keys} of {', '.join(features)}"
        )
    return _Dataset(builder=builder, image=keys[0], label=keys[1])


def _tensorflow_datasets(data: str) -> Any:  # noqa: ANN401 - a module without types
    try:
        import tensorflow_datasets  # noqa: PLC0415 - optional, and slow to import
    except ImportError as error:
        raise TrainingError(
            f"{data}: needs tensorflow-datasets ({error}); install it with "
            "'pip install -r requirements/tfds.txt', or name a folder"
        ) from error
    return tensorflow_datasets


def _prepare(builder: Any, data: str) -> None:  # noqa: ANN401
    try:
        # It may raise anything, and tells its progress on stdout, which is for results.
        with redirect_stdout(sys.stderr):
            builder.download_and_prepare()
    except Exception as error:
        raise TrainingError(
            f"{data}: cannot be downloaded and prepared in {builder.data_dir} (is there a "
            f"network?): {type(error).__name__}: {_line(error)}"
        ) from error
    if "train" not in builder.info.splits:
        raise TrainingError(
            f"{data}: has no train split to train on, but {', '.join(builder.info.splits)}"
        )


def _write_class_folders(dataset: _Dataset, folder: Path) -> None:
    splits = dataset.builder.info.splits
    validation = next((split for split in _VALIDATION_SPLITS if split in splits), None)
    _write_split(dataset, "train", folder / "train")
    if validation is not None:
        _write_split(dataset, validation, folder / "validation")


def _write_split(dataset: _Dataset, split: str, folder: Path) -> None:
    tfds = _tensorflow_datasets(split)
    classes = dataset.builder.info.features[dataset.label]
    folders = [folder / _folder_name(name) for name in classes.names]
    for class_folder in folders:
        class_folder.mkdir(parents=True)
    photos = dataset.builder.as_dataset(
        split=split, decoders={dataset.image: tfds.decode.SkipDecoding()}
    )
    for number, example in enumerate(photos.as_numpy_iterator()):
        # A test split may keep its classes to itself: they are -1.
        if (label := int(example[dataset.label])) >= 0:
            encoded = example[dataset.image]
            suffix = "png" if encoded.startswith(b"\x89PNG") else "jpg"
            (folders[label] / f"{number:06d}.{suffix}").write_bytes(encoded)


def _move_aside(folder: Path, fraction: float, seed: int) -> None:
    photos = read_photo_folder(folder).train
    for photo in split_photos(photos, fraction, seed, originals(photos))[1]:
        to = folder / "validation" / photo.path.relative_to(folder / "train")
        to.parent.mkdir(parents=True, exist_ok=True)
        photo.path.rename(to)


def _folder_name(label: str) -> str:
    """A class's name without what would make it another folder, or a hidden one."""
    return label.replace("/", "_").replace("\0", "_").removeprefix(".") or "_"


def _line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines()]
    return next((line for line in lines if line), type(error).__name__)
