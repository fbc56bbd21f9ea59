"""The forms in which a network is published, each a model of its own name."""

from dataclasses import dataclass
from pathlib import Path

from export.config import ExportConfig


@dataclass(frozen=True, kw_only=True)
class Form:
    """One precision of the network."""

    precision: str
    """`fp32` or `bf16`: the convolutions' weights and arithmetic."""

    tolerance: float
    """Largest allowed difference from the eager Keras model, in probability."""

    model: str
    """Name of the model: `resnet18`, `resnet18-bf16`."""

    models_dir: Path

    @property
    def folder(self) -> Path:
        """Where its versions are."""
        return self.models_dir / self.model

    def versions(self) -> list[int]:
        """Published versions, oldest first."""
        if not self.folder.is_dir():
            return []
        return sorted(int(entry.name) for entry in self.folder.iterdir() if entry.name.isdecimal())

    def newest(self) -> Path | None:
        """Folder of the newest version; None before the first."""
        versions = self.versions()
        return self.folder / str(versions[-1]) if versions else None


def forms(config: ExportConfig) -> list[Form]:
    """The forms that were asked for, fp32 first."""
    offered = {
        "fp32": (config.fp32_tolerance, config.model_name),
        "bf16": (config.bf16_tolerance, f"{config.model_name}-bf16"),
    }
    return [
        Form(precision=precision, tolerance=tolerance, model=model, models_dir=config.models_dir)
        for precision, (tolerance, model) in offered.items()
        if config.precision in {precision, "all"}
    ]
