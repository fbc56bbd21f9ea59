"""Whether the warm-up requests beside a model let it load."""

from collections.abc import Collection
from pathlib import Path

from export.errors import ExportError
from export.preflight.finding import Finding, fails, not_applicable, ok
from export.preflight.trial import Trial
from export.preflight.warmup_file import read_warmup, warmup_path

NAME = "warm-up"
_CONSEQUENCE = "TensorFlow Serving then does not load the version"
_ADVICE = "Write the file again from requests that the model answers, or remove it."


def check_warmup(folder: Path, signatures: Collection[str], trial: Trial) -> Finding:
    """Reads the file and looks at what the trial answered to its requests."""
    if not warmup_path(folder).is_file():
        return not_applicable(NAME, "There are no warm-up requests: the first callers wait longer.")
    try:
        requests = read_warmup(folder)
    except ExportError as error:
        return _failed(f"{warmup_path(folder)}: {error}")
    for request in requests:
        if request.signature not in signatures:
            return _failed(
                f"record {request.index} asks signature {request.signature!r}: none such"
            )
    for index, answer in trial.warmup.items():
        if answer.error:
            return _failed(f"record {index} fails ({answer.error}: {answer.message})")
    if len(trial.warmup) < len({request.index for request in requests}):
        return not_applicable(
            NAME, f"{len(requests)} requests, not all of which could be replayed."
        )
    return ok(NAME, f"{len(requests)} warm-up requests are answered.")


def _failed(why: str) -> Finding:
    return fails(NAME, f"{why[:1].upper()}{why[1:]}: {_CONSEQUENCE}.", _ADVICE)
