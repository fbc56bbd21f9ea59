"""How often a `tf.function` may be traced; over it, which argument changed and what to do.

with trace_budget(train_step, at_most=1):      # a block
    train(...)

@trace_budget(at_most=2)                       # every call of one function
@tf.function
def predict(image): ...

def test_one_trace(trace_budget):              # pytest, until the test's end
    trace_budget(train_step, at_most=1)
"""

import functools
from collections.abc import Callable
from contextlib import ContextDecorator
from types import TracebackType
from typing import Any, Self

from graphmode.trace_difference import Signature, differences_from_nearest, signatures


class TraceBudgetExceeded(AssertionError):  # noqa: N818 - says what happened
    """A function was traced more often than it may be; the text says why and what to do."""


def trace_budget(*functions: Any, at_most: int = 1) -> "TraceBudget":  # noqa: ANN401
    """Allow each function so many new traces.

    Args:
        functions: `tf.function` objects that a block, or a decorated caller, may trace. With none,
            the result decorates a `tf.function`, each of whose calls is then checked.
        at_most: how many traces each may have; from the block's start, or ever, when decorating.

    Raises:
        TypeError: one of them is not a `tf.function`, so nothing would be counted.
    """
    for function in functions:
        if not _is_traced(function):
            raise TypeError(
                f"trace_budget counts traces of tf.function objects, and {function!r} is none"
            )
    return TraceBudget(functions, at_most)


class TraceBudget(ContextDecorator):
    """Counts traces from `__enter__` to `__exit__`; it keeps no state of its functions."""

    def __init__(self, functions: tuple[Any, ...], at_most: int) -> None:
        self._functions = functions
        self._at_most = at_most
        self._before: list[tuple[int, tuple[Signature, ...]]] = []

    def __enter__(self) -> Self:
        self._before = [_state(function) for function in self._functions]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # What the block itself raised says more than a count.
        if error is None:
            self.check()

    def check(self) -> None:
        """Compare with the budget now.

        Raises:
            TraceBudgetExceeded: it is overdrawn.
        """
        for function, before in zip(self._functions, self._before, strict=True):
            _require_within(function, before, self._at_most)

    def __call__(self, function: Callable[..., Any]) -> Any:  # noqa: ANN401
        """Guard a `tf.function`, or run a caller within the budget."""
        if self._functions:
            # Nested or repeated calls each need a count of their own.
            @functools.wraps(function)
            def caller(*arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401
                with trace_budget(*self._functions, at_most=self._at_most):
                    return function(*arguments, **keywords)

            return caller
        if not _is_traced(function):
            raise TypeError(
                f"@trace_budget stands above @tf.function, and {function!r} is no tf.function"
            )
        return _Guarded(function, self._at_most)


class _Guarded:
    """A `tf.function` that says so when it is traced too often; all else is the function's own."""

    def __init__(self, function: Any, at_most: int) -> None:  # noqa: ANN401
        functools.update_wrapper(self, function)
        self._function = function
        self._at_most = at_most

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401
        result = self._function(*arguments, **keywords)
        _require_within(self._function, (0, ()), self._at_most)
        return result

    def __get__(self, instance: Any, owner: type | None = None) -> Any:  # noqa: ANN401
        """Bind a method: each instance's traces are counted apart, as TensorFlow keeps them."""
        bound = self._function.__get__(instance, owner)
        return bound if instance is None else _Guarded(bound, self._at_most)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._function, name)


def _is_traced(function: Any) -> bool:  # noqa: ANN401
    return hasattr(function, "experimental_get_tracing_count")


def _state(function: Any) -> tuple[int, tuple[Signature, ...]]:  # noqa: ANN401
    return function.experimental_get_tracing_count(), signatures(function)


def _require_within(
    function: Any,  # noqa: ANN401
    before: tuple[int, tuple[Signature, ...]],
    at_most: int,
) -> None:
    count_before, known = before
    traces = function.experimental_get_tracing_count() - count_before
    if traces > at_most:
        name = getattr(function, "__name__", repr(function))
        raise TraceBudgetExceeded(
            f"{name} was traced {_times(traces)}, at most {_times(at_most)} allowed\n"
            + "\n".join(f"  {line}" for line in _reasons(function, known, traces))
        )


def _reasons(function: Any, known: tuple[Signature, ...], traces: int) -> list[str]:  # noqa: ANN401
    now = signatures(function)
    new = now[len(known) :]
    lines = []
    for number, signature in enumerate(new, len(known)):
        if earlier := now[:number]:
            lines += differences_from_nearest(signature, earlier)
    if traces > len(new):
        lines.append(
            "the first call made variables, which takes a second trace: make them before "
            "(optimizer.build(model.trainable_variables), a first call of the model, "
            "tf.Variable outside of the function)"
        )
    return lines


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")
