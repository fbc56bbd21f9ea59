"""The settings of one training."""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from training.course import Lap, crop_sizes, read_course
from training.errors import TrainingError


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """One training: from class folders of photos to a network in a run folder."""

    preset: Literal["full", "quick"] = "full"
    """Settings that the other flags start from: full aims at accuracy (about half an hour for
    2,000 photos on two cores), quick at minutes."""

    data: str | None = None
    """Folder of class folders, with or without train/ and validation/, or tfds:NAME of
    tensorflow-datasets; without it, cartoon cats and dogs are drawn, which is for trying things
    out."""

    run_dir: Path = Path("runs/generated")
    """Folder to write; a stopped training in it goes on where it stopped."""

    network: Literal["resnet18", "tiny"] = "resnet18"
    """Network to train; tiny is for tests."""

    init_weights: Path | None = None
    """ResNet-18 weights in torchvision's layout (.safetensors or .npz) to start from, which helps
    most where photos are few; without it, they are random. A tenth of learning_rate suits them."""

    course: tuple[str, ...] = ("64x30", "96x30", "128x20", "160x10", "192x6", "224x2")
    """Laps of the training, each SIZExEPOCHS: width and height of the crops in pixels, and how
    often each photo is seen at that size. Small crops are learned from faster; the last ones lead
    over to image_size."""

    batch_size: int = 32
    """Photos in one step, over all workers."""

    optimizer: Literal["sgd", "adamw"] = "sgd"
    """SGD with Nesterov momentum of 0.9, or AdamW."""

    learning_rate: float = 0.05
    """Highest learning rate; it rises to this over warm_up, then falls to zero by a cosine."""

    warm_up: float = 0.05
    """Share of the steps over which the learning rate rises."""

    weight_decay: float = 0.0005
    """Pull of the convolutions' and the last layer's weights towards zero, relative to the
    learning rate; norms and biases have none."""

    label_smoothing: float = 0.1
    """Share of each label that is given to all classes alike."""

    average_decay: float = 0.998
    """The network that is validated and saved is an average of the trained one's weights: each
    step keeps this share of it. 0 saves the trained one itself."""

    crop_area_min: float = 0.3
    """Smallest share of the photo's area that a crop covers."""

    color: float = 0.3
    """Most that brightness, contrast and saturation of a crop are changed by; 0 changes none."""

    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """What layers compute in; weights and sums stay float32. auto is bfloat16 where the CPU
    multiplies it (avx512_bf16, amx_bf16), and float32 elsewhere."""

    fused_batch_norm: bool = True
    """Whether batch norm is one operation in training, which is faster; the saved network has the
    same weights and Keras' own layers. Replicas of a strategy use Keras' synchronised one."""

    early_stopping: int = 0
    """Stop when the validation loss has not fallen for so many epochs, and save the best epoch's
    network; 0 trains the whole course and saves the last one's."""

    image_size: int = 224
    """Width and height of the saved network's input, in pixels; the final validation's too."""

    validation_fraction: float = 0.2
    """Share of each class set aside for validation, where the data has no validation/."""

    mode: Literal["graph", "eager", "xla"] = "graph"
    """How a step runs: as a traced graph, operation by operation, or compiled by XLA."""

    strategy: Literal["single", "mirrored", "multi_worker"] = "single"
    """Who trains: this process' first device, all its GPUs, or all workers of TF_CONFIG."""

    profile: bool = False
    """Whether TensorBoard gets a profile of the steps 10 to 20."""

    seed: int = 1
    """Fixes weights, split, order, crops and colours: the same seed gives the same network."""

    def __post_init__(self) -> None:
        """Refuse what cannot be trained, naming field, bound and value."""
        crop_sizes(self.laps)
        self._require("batch_size", low=1)
        self._require("early_stopping", low=0)
        self._require("image_size", low=16, high=1024)
        self._require("seed", low=0, high=2**31 - 1)
        self._require_share("learning_rate", highest=10)
        self._require_share("crop_area_min", highest=1)
        for name in ("warm_up", "weight_decay", "label_smoothing", "average_decay", "color"):
            if not 0 <= getattr(self, name) < 1:
                raise TrainingError(
                    f"{name} must be at least 0 and below 1, not {getattr(self, name)}"
                )
        if self.strategy != "single" and self.mode != "graph":
            raise TrainingError(f"strategy {self.strategy} needs mode graph, not {self.mode}")
        if not 0 < self.validation_fraction < 1:
            raise TrainingError(
                f"validation_fraction must be between 0 and 1, not {self.validation_fraction}"
            )

    @property
    def laps(self) -> tuple[Lap, ...]:
        """The course, read."""
        return read_course(self.course)

    @property
    def epochs(self) -> int:
        """Times that each training photo is seen."""
        return sum(lap.epochs for lap in self.laps)

    def crop_size(self, epoch: int) -> int:
        """Width and height of an epoch's crops; epochs are counted from 0."""
        return crop_sizes(self.laps)[epoch]

    def as_json(self) -> dict[str, Any]:
        """All fields in JSON's types."""
        # Paths become text, tuples lists.
        return json.loads(json.dumps(dataclasses.asdict(self), default=str))

    def _require(self, name: str, *, low: int, high: int | None = None) -> None:
        value = getattr(self, name)
        if value < low:
            raise TrainingError(f"{name} must be at least {low}, not {value}")
        if high is not None and value > high:
            raise TrainingError(f"{name} must be at most {high}, not {value}")

    def _require_share(self, name: str, *, highest: int) -> None:
        value = getattr(self, name)
        if not 0 < value <= highest:
            raise TrainingError(f"{name} must be above 0 and at most {highest}, not {value}")


PRESETS = {
    "full": TrainConfig(),
    "quick": TrainConfig(
        preset="quick",
        course=("64x9", "144x1"),
        optimizer="adamw",
        learning_rate=0.002,
        warm_up=0.1,
        weight_decay=0.05,
        label_smoothing=0.05,
        average_decay=0.0,
        crop_area_min=0.35,
        color=0.0,
    ),
}
"""What `preset` stands for."""
