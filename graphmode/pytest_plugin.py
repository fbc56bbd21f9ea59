"""pytest's fixture `trace_budget`; TensorFlow is imported only where a test asks for it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest


@pytest.fixture
def trace_budget() -> Iterator[Callable[..., None]]:
    """Give `trace_budget(*functions, at_most=1)`: the traces from that call to the test's end.

    Raises:
        TraceBudgetExceeded: at the end of the test, when a function was traced more often.
    """
    from graphmode import trace_budget as module  # noqa: PLC0415

    budgets: list[Any] = []

    def begin(*functions: Any, at_most: int = 1) -> None:  # noqa: ANN401
        budgets.append(module.trace_budget(*functions, at_most=at_most).__enter__())

    yield begin
    for budget in budgets:
        budget.check()
