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
    """The run to export: holds model.keras and labels.txt, and says which photos it had."""

    models_dir: Path = Path("models")
    """Receives MODEL_NAME/VERSION, MODEL_NAME-bf16/VERSION, MODEL_NAME-int8/VERSION."""

    model_name: str = "resnet18"
    """Name under which the model is served."""

    precision: Literal["fp32", "bf16", "int8", "auto", "all"] = "all"
    """Forms to publish. `auto` takes the fastest that this CPU computes in hardware and the gates
    let pass; with `all`, a form that the gates refuse is left out."""

    weights: Literal["variables", "frozen"] = "variables"
    """`frozen` bakes the weights into the graph, as MODEL_NAME-frozen: somewhat less latency, about
    twice the memory."""

    version: int | None = None
    """Number of the version; without it, the next free one. None is ever overwritten."""

    photos_dir: Path | None = None
    """Class folders, in train/ and validation/, instead of the photos that the run lists."""

    calibration_photos: int = 200
    """How many training photos tell int8 what its 8 bits must span."""

    compared_photos: int = 1000
    """On how many validation photos, at most, a form is compared with eager Keras."""

    int8_weights: Literal["auto", "127", "63"] = "auto"
    """Largest 8-bit weight: 127 needs a CPU with VNNI; 63, or more where two neighbours stay below
    128 together, is right on all. `auto` looks at this one: say 63 where other CPUs will serve."""

    fuzz_requests: int = 2000
    """Malformed and odd requests that a form must survive before it is published."""

    warmup_signatures: tuple[
        Literal["serving_default", "uint8", "image_bytes", "classify"], ...
    ] = ("image_bytes",)
    """Signatures that a server warms up. Warm those in use: oneDNN keeps a reordered copy of the
    weights for each signature that has run (ResNet-18: 45 MB in fp32, 22 MB in bf16), and one that
    was not warmed up makes its first caller wait for about half a second."""

    warmup_batch_sizes: tuple[int, ...] = (1, 8)
    """Rows of the warm-up requests, which a server answers before it takes a version into use:
    with batching, its allowed_batch_sizes."""

    fp32_tolerance: float = 1e-5
    """Largest difference from the eager Keras model allowed to the fp32 form, in probability."""

    bf16_tolerance: float = 0.05
    """The same for the bf16 form."""

    int8_tolerance: float = 0.2
    """The same for the int8 form."""

    def __post_init__(self) -> None:
        """Refuses values that cannot work."""
        if not self.model_name or self.model_name.startswith(".") or "/" in self.model_name:
            raise ExportError(
                f"model_name must be a folder's name without a leading dot: {self.model_name!r}"
            )
        for rows in self.warmup_batch_sizes:
            _require_between("warmup_batch_sizes", rows, 1, MOST_WARMUP_ROWS)
        for name in ("fp32_tolerance", "bf16_tolerance", "int8_tolerance"):
            _require_between(name, getattr(self, name), 0, 1)
        for name in ("calibration_photos", "compared_photos", "fuzz_requests"):
            _require_between(name, getattr(self, name), 1, 1_000_000)
        if self.version is not None:
            _require_between("version", self.version, 1, 2**63 - 1)


def _require_between(name: str, value: float, least: int, most: int) -> None:
    if not least <= value <= most:
        raise ExportError(f"{name} must lie between {least} and {most}, got {value}")
