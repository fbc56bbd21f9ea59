"""What an export is told: the fields are the flags of `python -m export`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from export.errors import ExportError

MOST_WARMUP_ROWS = 128


@dataclass(frozen=True, kw_only=True)
class ExportConfig:
    """Turn a finished training run into versions that TensorFlow Serving loads."""

    run_dir: Path
    """The run to export: holds model.keras and labels.txt."""

    models_dir: Path = Path("models")
    """Receives MODEL_NAME/VERSION and MODEL_NAME-bf16/VERSION."""

    model_name: str = "resnet18"
    """Name under which the model is served."""

    precision: Literal["fp32", "bf16", "all"] = "all"
    """Forms to publish; with `all`, a bf16 form that disagrees with fp32 is left out."""

    warmup_signatures: tuple[
        Literal["serving_default", "uint8", "image_bytes", "classify"], ...
    ] = ("image_bytes",)
    """Signatures that a server warms up. Warm those in use: oneDNN keeps a reordered copy of the
    weights for each signature that has run (ResNet-18: 45 MB in fp32, 22 MB in bf16), and one that
    was not warmed up makes its first caller wait for about half a second."""

    warmup_batch_sizes: tuple[int, ...] = (1, 8)
    """Rows of the warm-up requests, which a server answers before it takes a version into use."""

    fp32_tolerance: float = 1e-5
    """Largest difference from the eager Keras model allowed to the fp32 form, in probability."""

    bf16_tolerance: float = 0.02
    """The same for the bf16 form."""

    def __post_init__(self) -> None:
        """Refuses values that cannot work."""
        if not self.model_name or self.model_name.startswith(".") or "/" in self.model_name:
            raise ExportError(
                f"model_name must be a folder's name without a leading dot: {self.model_name!r}"
            )
        for rows in self.warmup_batch_sizes:
            if not 1 <= rows <= MOST_WARMUP_ROWS:
                raise ExportError(
                    f"warmup_batch_sizes must lie between 1 and {MOST_WARMUP_ROWS}, got {rows}"
                )
        for name in ("fp32_tolerance", "bf16_tolerance"):
            tolerance = getattr(self, name)
            if not 0 <= tolerance <= 1:
                raise ExportError(f"{name} is in probability, 0 to 1, got {tolerance}")
