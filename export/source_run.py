"""The training run that is exported, read without TensorFlow until its model is needed."""

import hashlib
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from export.config import ExportConfig
from export.errors import ExportError
from export.processor import Processor

MODEL_FILE = "model.keras"
LABELS_FILE = "labels.txt"
_PHOTO_CODE = ("graphmode/*.py", "graphmode/headers/*.py")


@dataclass(frozen=True, kw_only=True)
class SourceRun:
    """A finished run: its files and the digest of all that shapes its export."""

    folder: Path
    labels: tuple[str, ...]
    digest: str
    """SHA-256 of model, labels, settings, this package's code and TensorFlow's version."""


def read_run(config: ExportConfig) -> SourceRun:
    """Reads the labels and digests the run.

    Raises:
        ExportError: the run is missing or unfinished, or its labels are not usable.
    """
    folder = config.run_dir
    if not folder.is_dir():
        raise ExportError(f"run_dir {folder} does not exist: run `make train` first")
    for name in (MODEL_FILE, LABELS_FILE):
        if not (folder / name).is_file():
            raise ExportError(
                f"{folder / name} is missing: the training is unfinished; run `make train`"
            )
    return SourceRun(folder=folder, labels=_labels(folder), digest=_digest(config))


def load_model(run: SourceRun) -> Any:  # noqa: ANN401
    """The trained Keras model, checked against the contract of a run folder.

    Raises:
        ExportError: the file is damaged, or the model is not an image classifier for the labels.
    """
    import keras  # noqa: PLC0415 an export that is up to date does not wait for Keras

    path = run.folder / MODEL_FILE
    try:
        model = keras.saving.load_model(path, compile=False)
    except Exception as error:
        # Keras raises what zipfile, h5py, json and its own registry raise.
        first_line = (str(error).splitlines() or [""])[0]
        raise ExportError(
            f"{path} cannot be read as a Keras model ({type(error).__name__}: {first_line}); "
            "train again, or restore the file"
        ) from error
    _check_contract(model, run)
    return model


def _check_contract(model: Any, run: SourceRun) -> None:  # noqa: ANN401
    path = run.folder / MODEL_FILE
    shapes = [tuple(tensor.shape) for tensor in (*model.inputs, *model.outputs)]
    is_classifier = (
        len(shapes) == 2
        and len(shapes[0]) == 4
        and shapes[0][3] == 3
        and shapes[0][1] is not None
        and shapes[0][1] == shapes[0][2]
        and len(shapes[1]) == 2
    )
    if not is_classifier:
        raise ExportError(
            f"{path}: expected one square RGB input [None, size, size, 3] "
            f"and one output [None, classes], got {shapes}"
        )
    classes = shapes[1][1]
    if classes != len(run.labels):
        raise ExportError(
            f"{run.folder / LABELS_FILE} has {len(run.labels)} labels, "
            f"but the model has {classes} classes; they must be of the same run"
        )


def _labels(folder: Path) -> tuple[str, ...]:
    path = folder / LABELS_FILE
    try:
        labels = tuple(path.read_text(encoding="utf-8").splitlines())
    except UnicodeDecodeError as error:
        raise ExportError(f"{path} is not UTF-8 text: {error}") from error
    if not labels or any(not label.strip() for label in labels):
        raise ExportError(f"{path} must hold one class a line, without empty lines")
    return labels


def _digest(config: ExportConfig) -> str:
    package = Path(__file__).parent
    files = [
        config.run_dir / MODEL_FILE,
        config.run_dir / LABELS_FILE,
        *sorted(package.rglob("*.py")),
        *(file for code in _PHOTO_CODE for file in sorted(package.parent.glob(code))),
    ]
    settings = (
        config.warmup_signatures,
        config.warmup_batch_sizes,
        config.photos_dir,
        config.calibration_photos,
        config.compared_photos,
        config.int8_weights,
        Processor().has_vnni,
        config.fp32_tolerance,
        config.bf16_tolerance,
        config.int8_tolerance,
        version("tensorflow"),
    )
    total = hashlib.sha256(repr(settings).encode())
    for file in files:
        with file.open("rb") as opened:
            total.update(hashlib.file_digest(opened, "sha256").digest())
    return total.hexdigest()
