"""`python -m export guard IN OUT`: reads the flags, guards, says what it did."""

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from export.errors import ExportError
from export.guard.input_guard import InputGuard, shape_text
from export.progress import Narrator

if TYPE_CHECKING:
    from export.guard.guarding import GuardReport


@dataclass(frozen=True, kw_only=True)
class GuardConfig:
    """Write a SavedModel again, shape guards behind its inputs; all else stays as it is.

    A request of another shape than its signature declares is then answered INVALID_ARGUMENT. This
    holds for sessions (TensorFlow Serving, our server, saved_model_cli run); Python's
    tf.saved_model.load does not go through the guarded graph of a TF2 model.
    """

    source: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="IN")]
    """The SavedModel, of TF1 or TF2: a version's folder."""

    target: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="OUT")]
    """The folder to write; it must not exist."""

    json: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Print what was done as JSON."""


def main(arguments: list[str]) -> int:
    """Guards; 0 when OUT is written, 2 for an error to be mended."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    config = tyro.cli(
        GuardConfig, prog="python -m export guard", args=arguments, use_underscores=True
    )
    try:
        # TensorFlow takes seconds to import, which a wrong flag need not wait for.
        from export.guard.guarding import guard_saved_model  # noqa: PLC0415

        report = guard_saved_model(config.source, config.target, Narrator())
    except ExportError as error:
        print(f"guard: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("guard: interrupted; nothing half-written is left", file=sys.stderr)
        return 130
    print(json.dumps({**asdict(report), "added": report.added}) if config.json else _text(report))
    return 0


def _text(report: "GuardReport") -> str:
    lines = [_line(each) for each in report.inputs]
    for each in report.comparisons:
        answers = "answers the same bits" if each.is_same else f"not compared: {each.detail}"
        lines.append(f"{_in(each.tags)}{each.signature or 'all'}: {answers}")
    done = f"guards added: {report.added}" if report.added else "nothing to add, a copy is written"
    return "\n".join([*lines, f"{report.target}: {done}"])


def _line(guarded: InputGuard) -> str:
    words = {"added": "guarded", "present": "guarded before", "left": "left"}
    shape = shape_text(guarded.guard if guarded.verdict != "left" else guarded.shape)
    detail = f": {guarded.detail}" if guarded.detail else ""
    name = f"{_in(guarded.tags)}{guarded.signature}.{guarded.alias}"
    return f"{name}: {words[guarded.verdict]}, {guarded.dtype} {shape}{detail}"


def _in(tags: tuple[str, ...]) -> str:
    """Of which MetaGraph, where it is not the one that servers take."""
    return "" if tags == ("serve",) else f"({', '.join(tags)}) "
