"""What is measured, written to a folder: every form, the plain Keras export, the images."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from export.benchmark.config import BenchConfig
from export.benchmark.subject import ROWS
from export.forms import form_of
from export.gates.graph_gates import folder_bytes
from export.photos import LabelledPhoto, Photos, read_photos
from export.progress import Narrator
from export.saved_model import Contents, write_saved_model
from export.served_network import images_of, make_network
from export.source_run import MODEL_FILE, SourceRun, load_model, read_run

EAGER = "eager Keras"
PLAIN = "model.export"
NOTHING = "nothing loaded"
PROVEN_SIGNATURES = ("serving_default", "image_bytes")
"""Those that the written forms warm up."""


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A row of the table."""

    name: str
    kind: str
    """How it is held: `eager`, `session` or `nothing`."""
    path: Path
    """A .keras file or a SavedModel."""
    disk_bytes: int


@dataclass(frozen=True, kw_only=True)
class Written:
    """What a measurement reads."""

    subjects: tuple[Subject, ...]
    """Eager Keras, the baseline, first."""
    images: Path
    """.npy file: the compared photos, float32 `[n,size,size,3]` in 0..1, eight at least."""
    photo: Path
    """One of them as it is."""


def write_subjects(config: BenchConfig, folder: Path, narrator: Narrator) -> Written:
    """Writes into an empty folder.

    Raises:
        ExportError: the run or its photos cannot be read, or a form cannot be made.
    """
    settings = config.export_config()
    run = read_run(settings)
    photos = read_photos(settings, run.labels)
    with narrator.doing(f"reading {run.folder} and {len(photos.compared)} validation photos"):
        model = load_model(run)
        images = folder / "images.npy"
        _write_images(photos.compared, model.inputs[0].shape[1], images)
    with narrator.doing("writing model.export's SavedModel"):
        plain = folder / "plain"
        model.export(plain, format="tf_saved_model", verbose=False)
    keras_file = run.folder / MODEL_FILE
    forms = list(_forms(model, run, photos, config, folder, narrator))
    return Written(
        subjects=(
            Subject(
                name=EAGER, kind="eager", path=keras_file, disk_bytes=keras_file.stat().st_size
            ),
            Subject(name=PLAIN, kind="session", path=plain, disk_bytes=folder_bytes(plain)),
            *forms,
        ),
        images=images,
        photo=photos.compared[0].path,
    )


def form_row(form: str) -> str:
    """The row of a form: `bf16` is `bf16 variables`, `bf16-frozen` is `bf16 frozen`."""
    precision, _, weights = form.partition("-")
    return f"{precision} {weights or 'variables'}"


def _forms(
    model: Any,  # noqa: ANN401
    run: SourceRun,
    photos: Photos,
    config: BenchConfig,
    folder: Path,
    narrator: Narrator,
) -> Iterator[Subject]:
    contents = Contents(
        labels=run.labels,
        image_size=model.inputs[0].shape[1],
        warmup_signatures=PROVEN_SIGNATURES,
        warmup_batch_sizes=ROWS,
    )
    for name in config.forms:
        with narrator.doing(f"writing {form_row(name)}"):
            precision, _, frozen = name.partition("-")
            settings = config.export_config("frozen" if frozen else "variables")
            served = make_network(model, form_of(settings, precision), settings, photos)
            path = folder / name
            write_saved_model(served, contents, path)
        yield Subject(name=form_row(name), kind="session", path=path, disk_bytes=folder_bytes(path))


def _write_images(photos: tuple[LabelledPhoto, ...], size: int, path: Path) -> None:
    images = np.concatenate(list(images_of(photos, size)))
    # A request of eight is made of what there is.
    missing = max(0, ROWS[-1] - len(images))
    np.save(path, np.concatenate([images, np.resize(images, (missing, *images.shape[1:]))]))
