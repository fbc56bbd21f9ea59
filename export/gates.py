"""The gates before publishing: each says what it expected, what came and what to do.

    eager Keras model ---- references ----------------------------------+
         |                                                              v
    SavedModel --> python -m export.session_probe (V1 session) --> judged here

The model runs in another process: one that crashes a server must not take the export with it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from export.probe import ROWS, Probe
from export.session_run import SessionRun
from export.signature_table import expected_signatures

AGREEMENT = "agreement"
LARGEST_SIZE_RATIO = 1.1
_GRAPH_BYTES = 1_000_000  # the graph, labels and warm-up requests; 0.5 MB for a ResNet-18
_BATCHES = (1, ROWS)


@dataclass(frozen=True, kw_only=True)
class GateResult:
    """One gate's verdict."""

    name: str
    passed: bool
    detail: str
    """What was expected, what came and, where it failed, what to do."""

    figure: float | None = None
    """What was measured, where that is a number."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A written SavedModel that asks to be published."""

    folder: Path
    labels: tuple[str, ...]
    weights_bytes: int
    tolerance: float
    """Largest allowed difference from the references, in probability."""


def judge(candidate: Candidate, probe: Probe, run: SessionRun) -> list[GateResult]:
    """Every gate's verdict on what the session probe saw."""
    size = probe.images.shape[1]
    return [
        _survives(run),
        _signatures(run, expected_signatures(len(candidate.labels), size)),
        _call_nodes(run),
        _session(run),
        _agreement(run, probe, candidate.tolerance),
        _labels(run, candidate.labels),
        _refusals(run),
        _warm_up(run),
        _one_copy(candidate),
    ]


def folder_bytes(folder: Path) -> int:
    """Bytes of all files below `folder`."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _survives(run: SessionRun) -> GateResult:
    if not run.ending:
        return GateResult(name="survives", passed=True, detail="the process ended by itself")
    return GateResult(
        name="survives",
        passed=False,
        detail=f"the process that ran the model ended during: {run.unfinished} ({run.ending}); "
        "a server would have ended with it",
    )


def _signatures(run: SessionRun, expected: dict[str, Any]) -> GateResult:
    came = {
        name: {key: signature[key] for key in ("inputs", "outputs", "method")}
        for name, signature in run.signatures.items()
    }
    wrong = sorted(
        name for name in came.keys() | expected.keys() if came.get(name) != expected.get(name)
    )
    detail = "names, types and shapes are those of the contract"
    if wrong:
        name = wrong[0]
        detail = (
            f"signature {name}: expected {expected.get(name, 'none')}, got {came.get(name, 'none')}"
        )
    return GateResult(name="signatures", passed=not wrong, detail=detail)


def _call_nodes(run: SessionRun) -> GateResult:
    """Batching by the server replaces the one node that calls the signature's function."""
    nodes = {name: signature["nodes"] for name, signature in run.signatures.items()}
    several = [name for name, types in nodes.items() if types != ["StatefulPartitionedCall"]]
    return GateResult(
        name="one call node",
        passed=bool(nodes) and not several,
        detail=f"expected one StatefulPartitionedCall a signature, got {nodes}",
    )


def _session(run: SessionRun) -> GateResult:
    errors = [
        f"{name}: {run.steps[name].error}" if name in run.steps else f"{name}: was not reached"
        for signature, rows in _asked(run)
        if (name := _step_name(signature, rows)) not in run.steps or run.steps[name].error
    ]
    detail = f"every signature answers batches of {_BATCHES} rows in a session"
    if not run.signatures:
        errors = [f"the SavedModel does not load in a session ({run.ending})"]
    if errors:
        detail = f"expected answers in a session, got {errors[0]}"
    return GateResult(name="session", passed=not errors, detail=detail)


def _agreement(run: SessionRun, probe: Probe, tolerance: float) -> GateResult:
    differences = dict(_differences(run, probe))
    if not differences:
        return GateResult(
            name=AGREEMENT, passed=False, detail="no signature answered, nothing to compare"
        )
    worst = max(differences, key=lambda name: np.nan_to_num(differences[name], nan=np.inf))
    difference = differences[worst]
    passed = bool(difference <= tolerance)
    detail = (
        f"expected at most {tolerance:g} from the eager Keras model in probability, "
        f"got {difference:.2e} ({worst})"
    )
    if not passed:
        detail += "; look for a layer that the folding reads wrongly, or weights that changed"
    return GateResult(name=AGREEMENT, passed=passed, detail=detail, figure=difference)


def _differences(run: SessionRun, probe: Probe) -> Iterator[tuple[str, float]]:
    for signature, rows in _asked(run):
        name = _step_name(signature, rows)
        step = run.steps.get(name)
        if step is None or step.answer is None:
            continue
        came = np.asarray(step.answer.get("probabilities", step.answer.get("scores")), np.float32)
        expected = probe.reference(signature)[:rows]
        is_comparable = came.shape == expected.shape
        yield name, float(np.abs(came - expected).max()) if is_comparable else float("nan")


def _labels(run: SessionRun, labels: tuple[str, ...]) -> GateResult:
    wrong = [
        name
        for signature, rows in _asked(run)
        if (step := run.steps.get(name := _step_name(signature, rows)))
        and step.answer
        and not _is_labelled(step.answer, labels)
    ]
    detail = f"expected the label of the highest probability, or all {len(labels)} classes"
    if wrong:
        detail += f"; {wrong[0]} gave another"
    return GateResult(name="labels", passed=not wrong, detail=detail)


def _is_labelled(answer: dict[str, Any], labels: tuple[str, ...]) -> bool:
    if "classes" in answer:
        return all(tuple(row) == labels for row in answer["classes"])
    best = np.argmax(answer["probabilities"], axis=1)
    return [labels[index] for index in best] == answer.get("label")


def _refusals(run: SessionRun) -> GateResult:
    asked = {name: step for name, step in run.steps.items() if " with shape " in name}
    asked |= {name: step for name, step in run.steps.items() if "a text as photo" in name}
    wrong = [
        f"{name}: {step.error or 'an answer'}"
        for name, step in asked.items()
        if not step.error.startswith("InvalidArgumentError")
    ]
    detail = f"expected InvalidArgumentError for {len(asked)} malformed inputs"
    if wrong:
        detail += f", got {wrong[0]}; open the signature with tf.ensure_shape"
    return GateResult(name="refusals", passed=bool(asked) and not wrong, detail=detail)


def _warm_up(run: SessionRun) -> GateResult:
    requests = {name: step for name, step in run.steps.items() if name.startswith("warm-up")}
    failed = [f"{name}: {step.error}" for name, step in requests.items() if step.error]
    detail = f"{len(requests)} warm-up requests are answered"
    if failed:
        detail = f"expected an answer to each warm-up request, got {failed[0]}"
    return GateResult(name="warm-up", passed=bool(requests) and not failed, detail=detail)


def _one_copy(candidate: Candidate) -> GateResult:
    most = int(LARGEST_SIZE_RATIO * candidate.weights_bytes) + _GRAPH_BYTES
    came = folder_bytes(candidate.folder)
    return GateResult(
        name="one copy of the weights",
        passed=came <= most,
        detail=f"expected at most {most} bytes on disk, got {came}",
        figure=came / candidate.weights_bytes,
    )


def _asked(run: SessionRun) -> Iterator[tuple[str, int]]:
    return ((signature, rows) for signature in run.signatures for rows in _BATCHES)


def _step_name(signature: str, rows: int) -> str:
    return f"{signature} with {rows} rows"
