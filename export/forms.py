"""The forms in which a network is published, each a model of its own name."""

from dataclasses import dataclass
from pathlib import Path

from export.config import ExportConfig
from export.publishing.version_folders import version_folder, version_numbers

PRECISIONS = ("fp32", "bf16", "int8")


@dataclass(frozen=True, kw_only=True)
class Form:
    """One precision of the network."""

    precision: str
    """`fp32`, `bf16` or `int8`: the convolutions' weights and arithmetic."""

    weights: str
    """`variables`, or `frozen` into the graph."""

    tolerance: float
    """Largest allowed difference from the eager Keras model, in probability."""

    model: str
    """Name of the model: `resnet18`, `resnet18-bf16`, `resnet18-int8-frozen`."""

    models_dir: Path

    @property
    def folder(self) -> Path:
        """Where its versions are."""
        return self.models_dir / self.model

    def versions(self) -> list[int]:
        """Published versions, oldest first."""
        return version_numbers(self.folder)

    def newest(self) -> Path | None:
        """Folder of the newest version; None before the first."""
        versions = self.versions()
        return version_folder(self.folder, versions[-1]) if versions else None


def forms(config: ExportConfig) -> list[Form]:
    """The forms that were asked for, fp32 first; for `auto`, all that it may choose from."""
    wanted = PRECISIONS if config.precision in {"all", "auto"} else (config.precision,)
    return [form_of(config, precision) for precision in wanted]


def form_of(config: ExportConfig, precision: str) -> Form:
    """The form of a precision, with the settings' name, weights and tolerance."""
    parts = [
        config.model_name,
        *([] if precision == "fp32" else [precision]),
        *(["frozen"] if config.weights == "frozen" else []),
    ]
    return Form(
        precision=precision,
        weights=config.weights,
        tolerance=getattr(config, f"{precision}_tolerance"),
        model="-".join(parts),
        models_dir=config.models_dir,
    )
