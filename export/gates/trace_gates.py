"""Gates on tracing: once for all batch sizes, and nothing frozen that should not be."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from export.gates.gate import Candidate, GateResult
from export.probe import ROWS, Probe
from graphmode.trace_budget import TraceBudgetExceeded, trace_budget

_FAR_AWAY_S = 1e6


def trace_gates(candidate: Candidate, probe: Probe) -> list[GateResult]:
    """The verdicts; the signatures run eagerly, in this process."""
    functions = candidate.answers.signatures()
    budget = _budget(functions, probe)
    first = _answers(functions, probe)
    with _other_circumstances():
        second = _answers(candidate.answers.signatures(), probe)
    return [budget, _nothing_frozen(first, second)]


def _budget(functions: dict[str, Any], probe: Probe) -> GateResult:
    detail = f"each signature is traced once for batches of 1 and {ROWS} rows"
    try:
        with trace_budget(*functions.values(), at_most=1):
            for name, function in functions.items():
                for rows in (1, ROWS):
                    function(probe.input(name)[:rows])
    except TraceBudgetExceeded as error:
        detail = f"expected that {detail}: {error}"
        return GateResult(name="trace budget", passed=False, detail=detail)
    return GateResult(name="trace budget", passed=True, detail=detail)


def _nothing_frozen(first: dict[str, Any], second: dict[str, Any]) -> GateResult:
    """A random number or time that a trace reads is the same in every answer that follows."""
    frozen = [name for name, answer in first.items() if answer != second[name]]
    detail = "traced at another time, with other random numbers, the signatures answer the same"
    if frozen:
        detail = (
            f"expected that {detail}; {frozen[0]} does not: its Python reads np.random, random or "
            "a clock while it is traced, and the graph keeps what it read"
        )
    return GateResult(name="nothing frozen", passed=not frozen, detail=detail)


def _answers(functions: dict[str, Any], probe: Probe) -> dict[str, list[Any]]:
    return {
        name: [value.numpy().tolist() for value in function(probe.input(name)[:1]).values()]
        for name, function in functions.items()
    }


@contextmanager
def _other_circumstances() -> Iterator[None]:
    numbers, arrays, clock = random.getstate(), np.random.get_state(), time.time
    random.seed(1)
    np.random.seed(1)
    time.time = lambda: clock() + _FAR_AWAY_S
    try:
        yield
    finally:
        random.setstate(numbers)
        np.random.set_state(arrays)
        time.time = clock
