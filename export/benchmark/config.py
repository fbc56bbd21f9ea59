"""What a benchmark is told: the fields are the flags of `python -m export bench`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from export.config import ExportConfig
from export.errors import ExportError

FormName = Literal["fp32", "bf16", "int8", "fp32-frozen", "bf16-frozen", "int8-frozen"]


@dataclass(frozen=True, kw_only=True)
class BenchConfig:
    """Measure the forms of a run side by side, with the plain Keras export and eager Keras.

    Nothing is gated and nothing is published.
    """

    run_dir: Path
    """The run to measure: holds model.keras and labels.txt, and says which photos it had."""

    photos_dir: Path | None = None
    """Class folders, in train/ and validation/, instead of the photos that the run lists."""

    results_dir: Path = Path("results/bench")
    """Folder to write: export/bench.json, export/bench.md and export/bench.svg in it."""

    forms: tuple[FormName, ...] = (
        "fp32",
        "bf16",
        "int8",
        "fp32-frozen",
        "bf16-frozen",
        "int8-frozen",
    )
    """Forms to measure; eager Keras and the plain export always stand beside them."""

    cores: Literal["all", "1", "both"] = "both"
    """Measure with all cores, on one core, or both, as two tables."""

    rounds: int = 10
    """Rounds that count; in each, every model has a turn."""

    repeats: int = 5
    """Requests of one image, and of eight, in a turn."""

    fresh_loads: int = 5
    """Fresh processes behind each figure on warm-up; 0 leaves that table out."""

    compared_photos: int = 100
    """On how many validation photos, at most, the forms are compared with eager Keras."""

    calibration_photos: int = 200
    """How many training photos tell int8 what its 8 bits must span."""

    def __post_init__(self) -> None:
        """Refuses what cannot be measured."""
        lows = {
            "rounds": 2,
            "repeats": 1,
            "fresh_loads": 0,
            "compared_photos": 1,
            "calibration_photos": 1,
        }
        for name, low in lows.items():
            if getattr(self, name) < low:
                raise ExportError(f"{name} must be at least {low}, got {getattr(self, name)}")
        if not self.forms or len(set(self.forms)) < len(self.forms):
            raise ExportError(
                f"forms must name at least one form, and none twice, got {list(self.forms)}"
            )

    def export_config(self, weights: Literal["variables", "frozen"] = "variables") -> ExportConfig:
        """The settings with which an export would write the forms."""
        return ExportConfig(
            run_dir=self.run_dir,
            photos_dir=self.photos_dir,
            weights=weights,
            compared_photos=self.compared_photos,
            calibration_photos=self.calibration_photos,
        )
