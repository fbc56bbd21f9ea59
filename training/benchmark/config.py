"""The settings of a benchmark."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from training.errors import TrainingError


@dataclass(frozen=True, kw_only=True)
class BenchConfig:
    """What is measured, and how long."""

    table: tyro.conf.Positional[Literal["preprocess", "train"]]
    """Table 6.1 (photos to images) or 6.2 (the training step)."""

    data: Path | None = None
    """Folder of class folders; without it, cats and dogs are drawn."""

    results_dir: Path = Path("results/bench")
    """Folder to write: bench.json, bench.md and bench.svg in it, in a folder for each table."""

    network: Literal["resnet18", "tiny"] = "resnet18"
    """Network of the training step; tiny is for tests."""

    sizes: tuple[int, ...] = (64, 96)
    """Crop sizes of the training step, in pixels."""

    batch_size: int = 16
    """Photos in one step."""

    steps: int = 8
    """Steps of a round."""

    photos: int = 200
    """Photos of a round of preprocessing."""

    rounds: int = 10
    """Rounds that count."""

    def __post_init__(self) -> None:
        """Refuse what cannot be measured."""
        for name, low in (("batch_size", 2), ("steps", 1), ("photos", 1), ("rounds", 2)):
            if getattr(self, name) < low:
                raise TrainingError(f"{name} must be at least {low}, not {getattr(self, name)}")
        for size in self.sizes:
            if not 16 <= size <= 1024:
                raise TrainingError(f"sizes must be 16 to 1024 pixels, not {size}")
