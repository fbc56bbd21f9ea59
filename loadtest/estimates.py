"""Numbers out of raw rows: percentiles, throughput, and ratios with their uncertainty."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

METHOD = (
    "Percentiles are exact: all latencies of a target's measured windows, pooled over its restarts,"
    " sorted, linear interpolation between neighbours (numpy.percentile). Throughput is completions"
    " in the measured windows over their length. Intervals are 95 % bootstrap percentiles over"
    " restarts, candidate and baseline restarts drawn in pairs (2,000 draws); few restarts make"
    " them rough, one makes none."
)
_DRAWS = 2000
_CONFIDENCE = 95.0


@dataclass(frozen=True, kw_only=True)
class RunFigures:
    """What one run contributes to its target's figures.

    Attributes:
        latency_ms: Latencies of the answered requests in the measured window.
        window_s: Length of the measured window.
        memory_mb: Steady memory of the server, 1 MB = 1e6 bytes.
    """

    latency_ms: NDArray[np.float64]
    window_s: float
    memory_mb: float


@dataclass(frozen=True)
class Ratio:
    """Candidate over baseline; no interval (None) where there is one restart only."""

    value: float
    low: float | None
    high: float | None


Measure = Callable[[Sequence[RunFigures]], float]


def percentile_ms(runs: Sequence[RunFigures], percent: float) -> float:
    """A percentile of the latencies of all runs together, in milliseconds; 0 if there are none."""
    pooled = np.concatenate([run.latency_ms for run in runs])
    return float(np.percentile(pooled, percent)) if len(pooled) else 0.0


def throughput_rps(runs: Sequence[RunFigures]) -> float:
    """Answered requests a second over all measured windows."""
    seconds = sum(run.window_s for run in runs)
    return sum(len(run.latency_ms) for run in runs) / seconds if seconds else 0.0


def mean_latency_ms(runs: Sequence[RunFigures]) -> float:
    """Mean latency over all runs, in milliseconds; 0 if there are none."""
    pooled = np.concatenate([run.latency_ms for run in runs])
    return float(pooled.mean()) if len(pooled) else 0.0


def memory_mb(runs: Sequence[RunFigures]) -> float:
    """Mean of the runs' steady memory, in megabytes."""
    return float(np.mean([run.memory_mb for run in runs]))


MEASURES: dict[str, Measure] = {
    "throughput": throughput_rps,
    "p50": lambda runs: percentile_ms(runs, 50),
    "p95": lambda runs: percentile_ms(runs, 95),
    "memory": memory_mb,
}


def ratios(
    candidate: Sequence[RunFigures], baseline: Sequence[RunFigures], seed: int
) -> dict[str, Ratio]:
    """Every measure of the candidate over the same measure of the baseline."""
    return {name: ratio(candidate, baseline, measure, seed) for name, measure in MEASURES.items()}


def ratio(
    candidate: Sequence[RunFigures],
    baseline: Sequence[RunFigures],
    measure: Measure,
    seed: int,
) -> Ratio:
    """One ratio, with a bootstrap interval over restarts.

    Args:
        candidate: The candidate's runs, in the order of their repeats.
        baseline: The baseline's runs; run i of both was made in the same round.
        measure: The number to compare.
        seed: Seed of the draws.

    Returns:
        The ratio of the pooled measures; its interval where there are two restarts or more.
    """
    value = _quotient(measure(candidate), measure(baseline))
    rounds = min(len(candidate), len(baseline))
    if rounds < 2:
        return Ratio(value, None, None)
    draws = np.random.default_rng(seed).integers(rounds, size=(_DRAWS, rounds))
    # With few restarts the draws repeat: each distinct one is measured once.
    distinct, which = np.unique(np.sort(draws, axis=1), axis=0, return_inverse=True)
    drawn = np.array(
        [
            _quotient(measure([candidate[i] for i in draw]), measure([baseline[i] for i in draw]))
            for draw in distinct
        ]
    )[which.reshape(-1)]
    tail = (100 - _CONFIDENCE) / 2
    low, high = np.percentile(drawn, [tail, 100 - tail])
    return Ratio(value, float(low), float(high))


def _quotient(candidate: float, baseline: float) -> float:
    return candidate / baseline if baseline else 0.0
