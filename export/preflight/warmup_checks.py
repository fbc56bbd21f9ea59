"""Whether the warm-up requests beside a model let it load."""

from collections.abc import Collection, Iterator
from pathlib import Path

from export.errors import ExportError
from export.preflight.finding import Finding, fails, not_applicable, ok
from export.preflight.trial import Trial
from export.preflight.warmup_file import WarmupRequest, read_warmup, warmup_path

NAME = "warm-up"


def check_warmup(folder: Path, signatures: Collection[str], trial: Trial) -> Finding:
    """Reads the file and looks at what the trial answered to its requests."""
    if not warmup_path(folder).is_file():
        return not_applicable(NAME, "There are no warm-up requests: the first callers wait longer.")
    try:
        requests = read_warmup(folder)
    except ExportError as error:
        return _failed(f"{warmup_path(folder)}: {error}")
    why = next(_failures(requests, signatures, trial), None)
    if why is not None:
        return _failed(why)
    if len(trial.warmup) < len(requests):
        return not_applicable(NAME, f"{len(requests)} requests, not all of which can be replayed.")
    return ok(NAME, f"{len(requests)} warm-up requests are answered.")


def _failures(
    requests: Collection[WarmupRequest], signatures: Collection[str], trial: Trial
) -> Iterator[str]:
    for request in requests:
        if request.signature not in signatures:
            yield f"Record {request.index} asks signature {request.signature!r}: none such"
    for index, answer in trial.warmup:
        if answer.error:
            yield f"Record {index} fails ({answer.error}: {answer.message})"
    if trial.ended_at_warmup:
        yield f"The process ended during {trial.ended_at}"


def _failed(why: str) -> Finding:
    return fails(
        NAME,
        f"{why}: TensorFlow Serving then does not load the version.",
        "Write the file again from requests that the model answers, or remove it.",
    )
