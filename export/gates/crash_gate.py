"""The gate that tries to end the process: thousands of malformed and odd requests."""

from pathlib import Path

from export.errors import ExportError
from export.fuzz.fuzzing import fuzz
from export.gates.gate import GateResult

CRASHES = "crash fuzz"
_LEAST_SHARE = 0.5
"""Of the requests: fewer, in the time that there is, prove little."""


def crash_gate(folder: Path, requests: int) -> GateResult:
    """The verdict on a SavedModel."""
    try:
        result = fuzz(folder, requests=requests)
    except ExportError as error:
        return GateResult(name=CRASHES, passed=False, detail=f"expected answers, got: {error}")
    refused = ", ".join(f"{count} {name}" for name, count in sorted(result.refused.items()))
    detail = (
        f"{result.requests} odd requests: {result.answered} answered, {refused or 'no'} refused"
    )
    if result.crash is not None:
        cure = "the values" if result.crash.fits_signature else "the guard"
        detail = (
            f"expected the process to outlive {requests} odd requests, but it ended during "
            f"{result.crash.request} ({result.crash.ending}); look at {cure} of that signature"
        )
    elif result.requests < _LEAST_SHARE * requests:
        detail = f"expected {requests} odd requests, only {result.requests} were sent in the time"
    passed = result.crash is None and result.requests >= _LEAST_SHARE * requests
    return GateResult(name=CRASHES, passed=passed, detail=detail, figure=float(result.requests))
