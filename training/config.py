"""The settings of one training."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from training.errors import TrainingError


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """One training: from class folders of photos to a network in a run folder."""

    data: Path | None = None
    """Folder of class folders, with or without train/ and validation/; without it, cartoon cats
    and dogs are drawn, which is for trying things out."""

    run_dir: Path = Path("runs/generated")
    """Folder to write; a stopped training in it goes on from its last whole epoch."""

    network: Literal["resnet18", "tiny"] = "resnet18"
    """Network to train; tiny is for tests."""

    epochs: int = 10
    """Times that each training photo is seen."""

    batch_size: int = 32
    """Photos in one step."""

    learning_rate: float = 0.002
    """Highest learning rate; it rises to this over the first tenth of the steps, then falls
    to zero along a line."""

    train_image_size: int = 64
    """Width and height of the crops trained on, in pixels; smaller is faster."""

    last_epoch_image_size: int = 144
    """Width and height of the last epoch's crops, which lead over to image_size."""

    image_size: int = 224
    """Width and height of the saved network's input, in pixels; the final validation's too."""

    validation_fraction: float = 0.2
    """Share of each class set aside for validation, where the data has no validation/."""

    mode: Literal["graph", "eager", "xla"] = "graph"
    """How a step runs: as a traced graph, operation by operation, or compiled by XLA."""

    seed: int = 1
    """Fixes weights, split, order and crops: the same seed gives the same network."""

    def __post_init__(self) -> None:
        """Refuse what cannot be trained, naming field, bound and value."""
        for name in ("epochs", "batch_size"):
            self._require(name, low=1)
        for name in ("train_image_size", "last_epoch_image_size", "image_size"):
            self._require(name, low=16, high=1024)
        self._require("seed", low=0, high=2**31 - 1)
        if not 0 < self.learning_rate <= 10:
            raise TrainingError(
                f"learning_rate must be above 0 and at most 10, not {self.learning_rate}"
            )
        if not 0 < self.validation_fraction < 1:
            raise TrainingError(
                f"validation_fraction must be between 0 and 1, not {self.validation_fraction}"
            )

    def crop_size(self, epoch: int) -> int:
        """Width and height of an epoch's crops; epochs are counted from 0."""
        is_last = epoch == self.epochs - 1
        return self.last_epoch_image_size if is_last else self.train_image_size

    def as_json(self) -> dict[str, Any]:
        """All fields in JSON's types."""
        return {
            name: str(value) if isinstance(value, Path) else value
            for name, value in dataclasses.asdict(self).items()
        }

    def _require(self, name: str, *, low: int, high: int | None = None) -> None:
        value = getattr(self, name)
        if value < low:
            raise TrainingError(f"{name} must be at least {low}, not {value}")
        if high is not None and value > high:
            raise TrainingError(f"{name} must be at most {high}, not {value}")
