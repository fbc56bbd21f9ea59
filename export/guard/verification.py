"""Compares a guarded SavedModel with its original, signature by signature, and tries its guards."""

import json
import os
import re
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from export.errors import ExportError
from export.guard.input_guard import InputGuard

_DEADLINE_S = 600
_FATAL = re.compile(r"F\d{4} ")
_ENVIRONMENT = {
    "TF_ONEDNN_ASSUME_FROZEN_WEIGHTS": "0",  # several sessions in one process
    "CUDA_VISIBLE_DEVICES": "-1",
    "TF_CPP_MIN_LOG_LEVEL": "2",
}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """How the answers of one signature compare."""

    tags: tuple[str, ...]
    signature: str
    is_same: bool
    """Whether both models answered, with the same bits; False where there was no answer."""

    detail: str
    """Why there was nothing to compare; else empty."""


@dataclass(frozen=True, kw_only=True)
class _Step:
    """What the trial did: its name, the MetaGraph's tags, and signature, alias and shape."""

    name: str
    tags: tuple[str, ...]
    of: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Outcome:
    """Digests of the outputs by alias, or the error's type."""

    outputs: dict[str, str] | None
    error: str
    message: str

    def is_like(self, other: "_Outcome") -> bool:
        """Messages may name nodes; they are not compared."""
        return (self.outputs, self.error) == (other.outputs, other.error)


_Outcomes = dict[_Step, _Outcome]


def compare(original: Path, guarded: Path, guards: list[InputGuard]) -> list[Comparison]:
    """Runs both models in a process of its own, and sends wrong shapes to the guarded one.

    Returns:
        A comparison for each signature of each MetaGraph that the original lets load.

    Raises:
        ExportError: an answer of the guarded model differs, a guard lets a wrong shape through, or
            the process ended.
    """
    outcomes = _tried(original, guarded, guards)
    comparisons = [
        _compared(step, outcome, outcomes)
        for step, outcome in outcomes.items()
        if step.name in {"load original", "original"} and (step.of or outcome.error)
    ]
    for step, outcome in outcomes.items():
        if step.name == "refusal":
            _check_refusal(step, outcome, outcomes)
        elif step.name == "load open" and outcome.error and not _load_failed(step, outcomes):
            raise ExportError(f"nothing is written: no guard can be tried: {outcome.message}")
    return comparisons


def _compared(step: _Step, first: _Outcome, outcomes: _Outcomes) -> Comparison:
    if not step.of:
        signature, why = "", f"the original does not load here: {first.message}"
    else:
        (signature,) = step.of
        why = _why_not_same(step, first, outcomes)
    return Comparison(tags=step.tags, signature=signature, is_same=not why, detail=why)


def _why_not_same(step: _Step, first: _Outcome, outcomes: _Outcomes) -> str:
    repeated = outcomes[_Step(name="repeated", tags=step.tags, of=step.of)]
    if not repeated.is_like(first):
        return "the original's own answers differ from run to run"
    guarded = outcomes.get(_Step(name="guarded", tags=step.tags, of=step.of))
    if guarded is None:
        failed = outcomes[_Step(name="load guarded", tags=step.tags)]
        raise ExportError(f"nothing is written: the guarded model does not load: {failed.message}")
    if not guarded.is_like(first):
        raise ExportError(
            f"nothing is written: signature {step.of[0]} no longer answers as before: expected "
            f"{_said(first)}, got {_said(guarded)}"
        )
    return f"the original answers none of the samples: {first.message}" if first.error else ""


def _load_failed(step: _Step, outcomes: _Outcomes) -> bool:
    return bool(outcomes[_Step(name="load guarded", tags=step.tags)].error)


def _check_refusal(step: _Step, refusal: _Outcome, outcomes: _Outcomes) -> None:
    """InvalidArgument, or what comes whatever is sent: of an input that the answer ignores."""
    signature, alias, shape = step.of
    usual = outcomes[_Step(name="guarded", tags=step.tags, of=(signature,))]
    if refusal.error != "InvalidArgumentError" and not refusal.is_like(usual):
        raise ExportError(
            f"nothing is written: expected InvalidArgumentError from signature {signature} for "
            f"{alias} of shape {shape}, got {_said(refusal)}"
        )


def _said(outcome: _Outcome) -> str:
    return f"{outcome.error}: {outcome.message}" if outcome.error else f"{outcome.outputs}"


def _tried(original: Path, guarded: Path, guards: list[InputGuard]) -> _Outcomes:
    search_path = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH")]
    environment = {
        **os.environ,
        **_ENVIRONMENT,
        "PYTHONPATH": os.pathsep.join(filter(None, search_path)),
    }
    try:
        process = subprocess.run(
            [sys.executable, "-m", "export.guard.trial", str(original), str(guarded)],
            input=json.dumps(_by_meta_graph(guards)),
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=_DEADLINE_S,
        )
    except subprocess.TimeoutExpired as error:
        raise ExportError(
            f"nothing is written: the models did not answer within {_DEADLINE_S} s"
        ) from error
    lines = [json.loads(line) for line in process.stdout.splitlines()]
    if process.returncode != 0:
        during = lines[-1].get("begins", "the end") if lines else "the start"
        raise ExportError(
            f"nothing is written: the process that compares the models ended during "
            f"'{during}' (exit status {process.returncode}: {_last_words(process.stderr)})"
        )
    return dict(_read(line) for line in lines if "step" in line)


def _last_words(stderr: str) -> str:
    """The line of a failed check in TensorFlow, which a stack trace follows; or the last one."""
    lines = stderr.strip().splitlines() or ["nothing on stderr"]
    return next((line for line in lines if _FATAL.match(line)), lines[-1])


def _by_meta_graph(guards: list[InputGuard]) -> list[dict[str, Any]]:
    by_tags: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for guard in guards:
        tried = by_tags.setdefault(guard.tags, [])
        if guard.guard is not None:
            tried.append(asdict(guard))
    return [{"tags": tags, "guards": tried} for tags, tried in by_tags.items()]


def _read(line: dict[str, Any]) -> tuple[_Step, _Outcome]:
    step = _Step(name=line["step"], tags=tuple(line["tags"]), of=tuple(line["of"]))
    outcome = _Outcome(
        outputs=line.get("outputs"), error=line.get("error", ""), message=line.get("message", "")
    )
    return step, outcome
