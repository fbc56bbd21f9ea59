"""`python -m export show SAVED_MODEL`: reads the flags, prints what is in the model."""

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from export.errors import ExportError
from graphmode.errors import GraphmodeError

_WIDTH_OF_A_PIPE = 200


@dataclass(frozen=True, kw_only=True)
class ShowConfig:
    """Print a SavedModel's signatures, sizes, weights, ops and fused ops.

    For the fused ops one signature is run once, in a session, on made-up inputs.
    """

    saved_model: tyro.conf.Positional[Path]
    """A SavedModel of TF1 or TF2, or a model's folder, of which the newest version is shown."""

    signature: str | None = None
    """Which signature to run: serving_default, or else the first, where none is named."""

    input: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """NAME=FILE: run with a .npy array, or with a file's bytes as a string, instead of numbers."""

    json: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Print everything as JSON."""


def main(arguments: list[str]) -> int:
    """Shows; 0 when it is shown, 2 for an error to be mended."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    config = tyro.cli(
        ShowConfig, prog="python -m export show", args=arguments, use_underscores=True
    )
    try:
        _show(config)
    except (ExportError, GraphmodeError) as error:
        print(f"show: {error}", file=sys.stderr)
        return 2
    return 0


def _show(config: ShowConfig) -> None:
    # TensorFlow takes seconds to import, which a wrong flag need not wait for.
    from export.show.model_report import model_report  # noqa: PLC0415
    from export.show.terminal import print_report  # noqa: PLC0415
    from graphmode.graph.sample_inputs import parse_files  # noqa: PLC0415

    report = model_report(config.saved_model, config.signature, parse_files(config.input))
    if config.json:
        print(json.dumps(asdict(report)))
        return
    console = Console(highlight=False, markup=False)
    # A pipe has no width; rich would break its lines at the 80th column.
    print_report(
        report, console if console.is_terminal else Console(width=_WIDTH_OF_A_PIPE, markup=False)
    )
