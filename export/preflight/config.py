"""What the check is told: the fields are the flags of `python -m export check`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from export.errors import ExportError


@dataclass(frozen=True, kw_only=True)
class CheckConfig:
    """Say what TensorFlow Serving would make of a SavedModel, of TF1 or TF2, anyone's.

    It is run: in processes of its own, as a server would. Exit status 0 when nothing would fail,
    1 when something would, 2 when the check could not be made.
    """

    saved_model: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="SAVED_MODEL")]
    """A version's folder, or the folder of a model's versions (its newest is checked)."""

    config: Path | None = None
    """A models.config (ModelServerConfig as text) that is to serve it."""

    batching: Path | None = None
    """A batching parameters file (BatchingParameters as text) that it is to be served with."""

    json: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Print the whole report as JSON."""

    fuzz_requests: int = 500
    """Malformed and odd requests that the model must survive; 0 sends none."""

    def __post_init__(self) -> None:
        """Refuses values that cannot work."""
        if self.fuzz_requests < 0:
            raise ExportError(f"--fuzz_requests must be at least 0, got {self.fuzz_requests}")
        for flag, path in (("--config", self.config), ("--batching", self.batching)):
            if path is not None and not path.is_file():
                raise ExportError(f"{flag} {path}: expected a file, there is none")
