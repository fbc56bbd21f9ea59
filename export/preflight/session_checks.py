"""Checks of what a session answers: what TensorFlow Serving would."""

from collections.abc import Collection
from pathlib import Path

from export.errors import ExportError
from export.fuzz.example_features import ENDLESS_EXAMPLE
from export.fuzz.fuzzing import FuzzCrash, FuzzResult, fuzz
from export.preflight.finding import Finding, fails, not_applicable, ok, warning
from export.preflight.trial import INPUT_ERRORS, Answer, Trial

SESSION, FUZZ = "session", "crash fuzz"
_NO_KERNEL = "No OpKernel was registered"
_GONE = ("variable", "Resource", "Container", "uninitialized")
"""What a NotFoundError speaks of when the model lacks a part of itself, and not a file that the
request named."""


def check_session(trial: Trial, left_out: Collection[str]) -> Finding:
    """Whether every signature answers in a session."""
    if trial.unloadable:
        return fails(
            SESSION,
            f"It does not load: {trial.unloadable}.",
            "Save it again, and try it with `saved_model_cli run`, which loads as a server does.",
        )
    if trial.ended_at and not trial.ended_at_warmup:
        return fails(
            SESSION,
            f"The process ended during {trial.ended_at}; a server would have ended with it.",
            "Find the op by giving that signature's function the same input in Python.",
        )
    broken = {name: answer for name, answer in trial.answers.items() if _is_broken(answer)}
    if broken:
        name, answer = next(iter(broken.items()))
        return fails(SESSION, f"{name} fails: {answer.error}: {answer.message}", _advice(answer))
    refused = {name: answer for name, answer in trial.answers.items() if answer.error}
    if refused:
        name, answer = next(iter(refused.items()))
        return warning(
            SESSION,
            f"{name} refused every sample that was tried, lastly with {answer.message}",
            "Try a real input: saved_model_cli run, or a warm-up request, which is replayed.",
        )
    if not trial.answers:
        return not_applicable(SESSION, f"Not asked, for what was said of {', '.join(left_out)}.")
    return ok(SESSION, f"Answered in a session: {', '.join(trial.answers)}.")


def _is_broken(answer: Answer) -> bool:
    """Whether an error is the model's, whatever the input."""
    if _NO_KERNEL in answer.message:
        return True
    if answer.error == "NotFoundError":
        return any(word in answer.message for word in _GONE)
    return bool(answer.error) and answer.error not in INPUT_ERRORS


def check_fuzz(folder: Path, trial: Trial, requests: int) -> Finding:
    """Whether the process lives, whatever a client sends."""
    signatures = [name for name, answer in trial.answers.items() if not _is_broken(answer)]
    if requests == 0:
        return not_applicable(FUZZ, "Switched off by --fuzz_requests 0.")
    if trial.unloadable or not signatures:
        return not_applicable(FUZZ, "No signature answers.")
    try:
        result = fuzz(folder, requests=requests, signatures=signatures)
    except ExportError as error:
        return fails(FUZZ, str(error), "Save it again.")
    if result.crash is not None:
        return fails(FUZZ, _crashed(result.crash), _crash_advice(result.crash))
    if result.requests == 0:
        return not_applicable(FUZZ, "No signature has an input that a request can carry.")
    return ok(FUZZ, f"The process outlived {_counted(result)}.")


def _counted(result: FuzzResult) -> str:
    refused = ", ".join(f"{count} {name}" for name, count in sorted(result.refused.items()))
    text = f"{result.requests} odd requests ({result.answered} answered"
    return f"{text}, refused with {refused})" if refused else f"{text})"


def _crashed(crash: FuzzCrash) -> str:
    return f"A client can end the server, by {crash.request}: {crash.ending.rstrip('.')}."


def _crash_advice(crash: FuzzCrash) -> str:
    if ENDLESS_EXAMPLE in crash.request:
        return (
            "Let tf.io.decode_proto(..., sanitize=True) and tf.io.encode_proto read the Examples "
            "before tf.io.parse_example does; Classify and Regress requests cannot do this, "
            "Predict requests to the same signature can."
        )
    if crash.fits_signature:
        return (
            "The shape is what the signature declares, so no shape guard helps: "
            "find the op that dies of such values, and refuse them before it."
        )
    return (
        "python -m export guard IN OUT writes the same model with shape guards; "
        "or open the signature with tf.ensure_shape."
    )


def _advice(answer: Answer) -> str:
    if "variable" in answer.message:
        return (
            "A session finds only variables that the saved module tracks: use model.export or "
            "ExportArchive, or let the module hold [v.value for v in model.variables]."
        )
    if answer.error == "UnimplementedError" or _NO_KERNEL in answer.message:
        return "The op has no kernel for this processor or these types: save without it."
    return "Run the signature with `saved_model_cli run` until it answers."
