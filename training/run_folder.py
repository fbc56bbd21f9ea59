"""The folder that a training writes and that export reads: runs/NAME.

    config.json     settings, written first: whose folder this is
    labels.txt      a class name a line, in the order of the probabilities
    photos/         the drawn photos, where no data was given, or those of a tfds: dataset
    photos.jsonl    which photos were trained on and which held out: a line a photo
    skipped.tsv     the files that cannot be decoded, and why
    checkpoints/    all variables after the last epochs, and where it was stopped
    tensorboard/    scalars by epoch, the train step's graph, a profile if it was asked for
    metrics.jsonl   a line an epoch
    graph.json      how often each step was traced
    result.json     the finished network's validation
    model.keras     the network, written last: where it is, the run is finished

Knows no TensorFlow, so that asking for a finished run again costs nothing.
"""

import json
import shutil
from pathlib import Path
from typing import Any

from training.atomic_file import write_text
from training.config import TrainConfig
from training.errors import TrainingError
from training.photo_folder import Photo, PhotoFolder

Row = dict[str, Any]


class RunFolder:
    """Paths and small files of one run; every file is replaced as a whole."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.model_path = path / "model.keras"
        self._config_path = path / "config.json"
        self.labels_path = path / "labels.txt"
        self.photos_dir = path / "photos"
        self.checkpoints_dir = path / "checkpoints"
        self.board_dir = path / "tensorboard"

    @property
    def is_finished(self) -> bool:
        """Whether the network is there."""
        return self.model_path.is_file()

    def refuse_other_settings(self, config: TrainConfig) -> None:
        """Find that the folder is free, or this training's own; nothing is written.

        Raises:
            TrainingError: it holds another training's epochs, or something else.
        """
        if self._config_path.exists():
            if self._has_epochs:
                self._refuse_differences(config.as_json())
        elif self.path.exists() and any(self.path.iterdir()):
            raise TrainingError(
                f"{self.path}: not empty and not a run folder (it has no config.json); "
                "choose another --run_dir"
            )

    def begin(self, config: TrainConfig) -> None:
        """Make the folder this training's own.

        Raises:
            TrainingError: it cannot be written.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if not self._has_epochs:
                shutil.rmtree(self.photos_dir, ignore_errors=True)
                write_text(self._config_path, _indented(config.as_json()))
        except OSError as error:
            raise TrainingError(f"{self.path}: cannot be written: {error.strerror}") from error

    def write_labels(self, labels: tuple[str, ...]) -> None:
        """Write labels.txt."""
        write_text(self.labels_path, "".join(f"{label}\n" for label in labels))

    def write_photos(self, photos: PhotoFolder) -> None:
        """Write photos.jsonl: part, number of the class, and path, from this folder if in it."""
        parts = {"train": photos.train, "validation": photos.validation}
        rows = (self._photo_row(part, photo) for part, listed in parts.items() for photo in listed)
        write_text(self.path / "photos.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))

    def write_skipped(self, table: str) -> None:
        """Write skipped.tsv."""
        write_text(self.path / "skipped.tsv", table)

    def write_graph(self, facts: Row) -> None:
        """Write graph.json: mode and trace counts."""
        write_text(self.path / "graph.json", _indented(facts))

    def write_result(self, result: Row) -> None:
        """Write result.json."""
        write_text(self.path / "result.json", _indented(result))

    def read_result(self) -> Row:
        """Give back result.json of a finished run."""
        return json.loads((self.path / "result.json").read_text(encoding="utf-8"))

    def write_metrics(self, rows: list[Row]) -> None:
        """Write metrics.jsonl, a line an epoch."""
        write_text(self.path / "metrics.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))

    def read_metrics(self, epochs: int) -> list[Row]:
        """Give back the rows of the first `epochs` epochs."""
        if epochs == 0:
            return []
        text = (self.path / "metrics.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()[:epochs]]

    def _photo_row(self, part: str, photo: Photo) -> Row:
        path, home = photo.path.absolute(), self.path.absolute()
        # Drawn photos move with the folder; the user's own stay where they are.
        kept = path.relative_to(home) if path.is_relative_to(home) else path
        return {"part": part, "label": photo.label, "path": str(kept)}

    @property
    def _has_epochs(self) -> bool:
        return self.is_finished or any(self.checkpoints_dir.glob("step-*.npz"))

    def _refuse_differences(self, now: Row) -> None:
        before = _read_settings(self._config_path)
        # The folder may have been moved; that makes it no other run.
        names = sorted((before.keys() | now.keys()) - {"run_dir"})
        differing = [name for name in names if before.get(name) != now.get(name)]
        if differing:
            changes = ", ".join(
                f"{name} was {before.get(name)}, is {now.get(name)}" for name in differing
            )
            raise TrainingError(
                f"{self.path}: holds a training with other settings ({changes}); "
                "choose another --run_dir, or remove that folder to train anew"
            )


def _read_settings(path: Path) -> Row:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except ValueError as error:
        raise TrainingError(
            f"{path}: not readable as JSON; remove {path.parent} to train anew"
        ) from error


def _indented(facts: Row) -> str:
    return json.dumps(facts, indent=2) + "\n"
