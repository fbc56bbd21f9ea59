"""What a trace froze: a function is called again with one value changed that it reads.

              as it was   one value changed
    eager        a              b            a != b: the function depends on the value
    graph        c              c            same:   its trace froze the value

Between calls all is put back: the values, variables, the states of random numbers, the clock.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import tensorflow as tf

from graphmode.errors import GraphmodeError
from graphmode.probe_reads import Read, bare, perturbed, reads_of, variables_in

_VALUE_CURE = "pass it as a tensor argument, or keep it in a tf.Variable and assign"
_RANDOM_CURE = "draw with tf.random (tf.random.stateless_uniform with a seed argument)"
_CLOCK_CURE = "use tf.timestamp(), or pass the time as a tensor argument"
_UNKNOWN = "something new at each call"
_NOON = 1_700_000_000.0


@dataclass(frozen=True)
class Finding:
    """One source: "frozen" at trace, "fresh" at each call (no error), or "not tried"."""

    source: str
    verdict: str
    cure: str


_HIDDEN = Finding(
    "all other values",
    "not tried",
    "results that change by themselves hide it: probe the function without its random part",
)


@dataclass(frozen=True)
class ProbeReport:
    """What `probe` found, and how many sources it tried."""

    findings: tuple[Finding, ...]
    tried: int

    @property
    def is_frozen(self) -> bool:
        """Whether the trace froze something that the function depends on."""
        return any(finding.verdict == "frozen" for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """Give the report as JSON takes it."""
        return {"is_frozen": self.is_frozen, **asdict(self)}


def probe(function: Any, *inputs: Any) -> ProbeReport:  # noqa: ANN401
    """Find what a trace of a function freezes; its own traces, if any, are left out of it.

    Args:
        function: a `tf.function`, or a Python function or method that could be one.
        inputs: its positional arguments, the same in each call.

    Raises:
        GraphmodeError: the function fails on these inputs.
    """
    reads = reads_of(function)
    python, owner = bare(function)
    call = python if owner is None else python.__get__(owner)
    graph = tf.function(call)
    with _all_put_back(reads):
        try:
            eager_before, eager_again = (_eager(call, inputs, reads) for _ in range(2))
            graph_before, graph_again = (_called(graph, inputs, reads) for _ in range(2))
        except Exception as error:
            raise GraphmodeError(f"the function fails on these inputs: {error}") from error
        if not _same(graph_before, graph_again):
            return ProbeReport((Finding(_UNKNOWN, "fresh", "none needed"), _HIDDEN), 0)
        if not _same(eager_before, eager_again):
            return ProbeReport((Finding(_UNKNOWN, "frozen", _RANDOM_CURE), _HIDDEN), 0)
        sources = list(_sources(reads))
        findings = []
        for source, cure, change in sources:
            try:
                eager = _eager(call, inputs, reads, change)
                if not _same(eager, eager_before) and _same(
                    _called(graph, inputs, reads, change), graph_before
                ):
                    findings.append(Finding(source, "frozen", cure))
            # A changed value may be one that the function rightly refuses.
            except Exception as error:  # noqa: BLE001
                findings.append(Finding(source, "not tried", f"changed, it fails: {error}"))
    return ProbeReport(tuple(findings), len(sources))


def _sources(reads: Sequence[Read]) -> Iterator[tuple[str, str, Callable[[], None]]]:
    for read in reads:
        other = perturbed(read.value)
        if other is not None:
            yield read.name, _VALUE_CURE, partial(read.set, other)
    yield "np.random", _RANDOM_CURE, lambda: np.random.seed(1)
    yield "random", _RANDOM_CURE, lambda: random.seed(1)
    yield "time.time", _CLOCK_CURE, lambda: _set_clock(_NOON + 1000)


def _set_clock(seconds: float) -> None:
    time.time = lambda: seconds


def _eager(
    call: Any,  # noqa: ANN401
    inputs: Sequence[Any],
    reads: list[Read],
    change: Callable[[], None] | None = None,
) -> list[Any]:
    ran_eagerly = tf.config.functions_run_eagerly()
    tf.config.run_functions_eagerly(True)  # noqa: FBT003
    try:
        return _called(call, inputs, reads, change)
    finally:
        tf.config.run_functions_eagerly(ran_eagerly)


def _called(
    call: Any,  # noqa: ANN401
    inputs: Sequence[Any],
    reads: list[Read],
    change: Callable[[], None] | None = None,
) -> list[Any]:
    with _all_put_back(reads):
        np.random.seed(0)
        random.seed(0)
        _set_clock(_NOON)
        if change is not None:
            change()
        return [np.array(one) for one in tf.nest.flatten(call(*inputs))]


@contextmanager
def _all_put_back(reads: list[Read]) -> Iterator[None]:
    variables = variables_in(reads)
    values = [tf.identity(variable) for variable in variables]
    arrays, numbers, clock = np.random.get_state(), random.getstate(), time.time
    try:
        yield
    finally:
        time.time = clock
        random.setstate(numbers)
        np.random.set_state(arrays)
        for read in reads:
            if perturbed(read.value) is not None:
                read.set(read.value)
        for variable, value in zip(variables, values, strict=True):
            variable.assign(value)


def _same(first: list[Any], second: list[Any]) -> bool:
    return len(first) == len(second) and all(
        one.shape == other.shape
        and bool(np.all((one == other) | ((one != one) & (other != other))))  # noqa: PLR0124
        for one, other in zip(first, second, strict=True)
    )
