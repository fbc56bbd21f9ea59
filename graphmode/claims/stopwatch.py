"""Ratios of times that hold on a busy machine."""

import time
from collections.abc import Callable
from statistics import median


def median_times_s(
    *works: Callable[[], object], rounds: int = 15, calls: int = 1
) -> tuple[float, ...]:
    """Time pieces of work in turn, so that what disturbs one disturbs all.

    Args:
        works: what to time; each must have finished when it returns, as by `.numpy()`.
        rounds: times that each is measured.
        calls: calls in one measurement.

    Returns:
        For each work the median over the rounds, in seconds a call; each is called once before.
    """
    for work in works:
        work()
    times_s: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for work, taken_s in zip(works, times_s, strict=True):
            begin = time.perf_counter()
            for _ in range(calls):
                work()
            taken_s.append((time.perf_counter() - begin) / calls)
    return tuple(median(taken_s) for taken_s in times_s)
