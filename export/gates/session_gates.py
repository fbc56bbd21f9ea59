"""Gates on what a session answered: does it run, as the contract says, and refuse the rest?"""

from collections.abc import Iterator
from typing import Any

from export.gates.gate import Candidate, GateResult
from export.probe import ROWS
from export.session_run import SessionRun
from export.signature_spec import expected_signatures

BATCHES = (1, ROWS)
_ONE_CALL = (["StatefulPartitionedCall"], ["PartitionedCall"])


def session_gates(candidate: Candidate, run: SessionRun) -> list[GateResult]:
    """Every verdict on the session's answers alone."""
    return [
        _survives(run),
        _signatures(run, expected_signatures(len(candidate.labels), candidate.image_size)),
        _call_nodes(run),
        _session(run),
        _labels(run, candidate.labels),
        _same_twice(run),
        _refusals(run),
        _warm_up(run),
    ]


def step_name(signature: str, rows: int) -> str:
    """How the session probe calls a request."""
    return f"{signature} with {rows} rows"


def asked(run: SessionRun) -> Iterator[tuple[str, int]]:
    """Each signature with each number of rows."""
    return ((signature, rows) for signature in run.signatures for rows in BATCHES)


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
    detail = "names, types and shapes are those of export/signatures.json"
    if wrong:
        name = wrong[0]
        detail = (
            f"signature {name}: expected {expected.get(name, 'none')}, "
            f"got {came.get(name, 'none')}; clients rely on export/signatures.json: change the "
            "code back, or the file and every client"
        )
    return GateResult(name="signatures", passed=not wrong, detail=detail)


def _call_nodes(run: SessionRun) -> GateResult:
    """Batching by the server replaces the one node that calls the signature's function."""
    nodes = {name: signature["nodes"] for name, signature in run.signatures.items()}
    # The call of a frozen network has no state.
    several = [name for name, types in nodes.items() if types not in _ONE_CALL]
    return GateResult(
        name="one call node",
        passed=bool(nodes) and not several,
        detail=f"expected one call of a function a signature, got {nodes}",
    )


def _session(run: SessionRun) -> GateResult:
    errors = [
        f"{name}: {run.steps[name].error}" if name in run.steps else f"{name}: was not reached"
        for signature, rows in asked(run)
        if (name := step_name(signature, rows)) not in run.steps or run.steps[name].error
    ]
    detail = f"every signature answers batches of {BATCHES} rows in a session"
    if not run.signatures:
        errors = [f"the SavedModel does not load in a session ({run.ending})"]
    if errors:
        detail = (
            f"expected answers in a session, got {errors[0]}; `Could not find variable` means "
            "that the saved module does not track the variable"
        )
    return GateResult(name="session", passed=not errors, detail=detail)


def _labels(run: SessionRun, labels: tuple[str, ...]) -> GateResult:
    wrong = [
        name
        for signature, rows in asked(run)
        if (step := run.steps.get(name := step_name(signature, rows)))
        and step.answer
        and not _is_labelled(step.answer, labels)
    ]
    detail = f"expected the label of the highest probability, or all {len(labels)} classes"
    if wrong:
        detail += f"; {wrong[0]} gave another: look at the order of labels.txt"
    return GateResult(name="labels", passed=not wrong, detail=detail)


def _is_labelled(answer: dict[str, Any], labels: tuple[str, ...]) -> bool:
    if "classes" in answer:
        return all(tuple(row) == labels for row in answer["classes"])
    rows = answer["probabilities"]
    best = [max(range(len(row)), key=row.__getitem__) for row in rows]
    return [labels[index] for index in best] == answer.get("label")


def _same_twice(run: SessionRun) -> GateResult:
    pairs = {
        signature: (run.steps[first].answer, run.steps[second].answer)
        for signature in run.signatures
        if (first := step_name(signature, ROWS)) in run.steps
        and (second := f"{signature} again") in run.steps
    }
    differing = [name for name, (first, second) in pairs.items() if first != second]
    detail = "the same request twice has the same answer, bit for bit"
    if differing:
        detail = (
            f"expected {detail}; {differing[0]} answers otherwise the second time: the graph draws "
            "random numbers, reads a clock or changes a variable"
        )
    return GateResult(name="same twice", passed=bool(pairs) and not differing, detail=detail)


def _refusals(run: SessionRun) -> GateResult:
    steps = {name: step for name, step in run.steps.items() if " with shape " in name}
    steps |= {name: step for name, step in run.steps.items() if "a text as photo" in name}
    wrong = [
        f"{name}: {step.error or 'an answer'}"
        for name, step in steps.items()
        if not step.error.startswith("InvalidArgumentError")
    ]
    detail = f"expected InvalidArgumentError for {len(steps)} malformed inputs"
    if wrong:
        detail += f", got {wrong[0]}; open the signature with tf.ensure_shape"
    return GateResult(name="refusals", passed=bool(steps) and not wrong, detail=detail)


def _warm_up(run: SessionRun) -> GateResult:
    requests = {name: step for name, step in run.steps.items() if name.startswith("warm-up")}
    failed = [f"{name}: {step.error}" for name, step in requests.items() if step.error]
    detail = f"{len(requests)} warm-up requests are answered"
    if failed:
        detail = (
            f"expected an answer to each warm-up request, got {failed[0]}; a server would not "
            "load the version: look at export/warmup.py"
        )
    return GateResult(name="warm-up", passed=bool(requests) and not failed, detail=detail)
