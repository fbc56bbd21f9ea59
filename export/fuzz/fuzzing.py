"""Fuzzes a SavedModel in a child process, and says whether the process outlived it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from export.errors import ExportError
from export.fuzz.model_process import run_model_process

_BUDGET_S = 240
_GRACE_S = 120
"""For TensorFlow's import, loading the model, and the last request."""


@dataclass(frozen=True, kw_only=True)
class FuzzCrash:
    """The request that ended the process."""

    signature: str
    """Empty where the model had not been loaded yet."""

    request: str
    """What it asked: the signature, what was odd, dtype and shape of each input."""

    fits_signature: bool
    """Whether its dtypes and shapes are those that the signature declares."""

    ending: str
    """How the process ended: signal or exit status, and the last line of stderr."""


@dataclass(frozen=True, kw_only=True)
class FuzzResult:
    """What came of the requests."""

    requests: int
    """Sent. Fewer than asked for after a crash, after four minutes, and 0 where no signature has
    an input that a request can carry."""

    answered: int
    refused: Mapping[str, int]
    """How many were refused, by the name of TensorFlow's exception."""

    crash: FuzzCrash | None


def fuzz(
    folder: Path, *, requests: int, seed: int = 0, signatures: Sequence[str] | None = None
) -> FuzzResult:
    """Sends a SavedModel random malformed and odd requests, in a process of its own.

    Args:
        folder: a version's folder.
        requests: how many, over all signatures.
        seed: the same seed sends the same requests.
        signatures: only these; None for all.

    Raises:
        ExportError: the model does not load, or has no such signature.
    """
    chosen = [f"--signature={name}" for name in signatures or ()]
    arguments = [f"--requests={requests}", f"--seed={seed}", f"--budget_s={_BUDGET_S}", *chosen]
    process = run_model_process(
        "export.fuzz", [*arguments, "--", str(folder)], _BUDGET_S + _GRACE_S
    )
    unfit = next((line["unfit"] for line in process.lines if "unfit" in line), None)
    if unfit is not None:
        raise ExportError(f"the fuzz cannot begin: {unfit}")
    begun = [line["begins"] for line in process.lines if "begins" in line]
    outcomes = Counter(line["outcome"] for line in process.lines if "outcome" in line)
    return FuzzResult(
        requests=len(begun),
        answered=outcomes.pop("answered", 0),
        refused=dict(outcomes),
        crash=_crash(begun, process.ending) if process.ending else None,
    )


def _crash(begun: list[dict[str, Any]], ending: str) -> FuzzCrash:
    if not begun:
        return FuzzCrash(
            signature="", request="loading the SavedModel", fits_signature=True, ending=ending
        )
    last = begun[-1]
    inputs = ", ".join(
        f"{alias} {dtype} {shape}" for alias, (dtype, shape) in last["inputs"].items()
    )
    request = f"request {last['index']} to {last['signature']}: {inputs} ({last['kind']})"
    return FuzzCrash(
        signature=last["signature"], request=request, fits_signature=last["fits"], ending=ending
    )
