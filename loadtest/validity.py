"""The conditions under which a target's figures count, each a function that gives a reason or None.

The bounds are those of the project's measuring rules: a run that misses one is shown as INVALID
with the reason, and its figures support no claim.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadtest.samples import Window

LITTLE_TOLERANCE = 0.05
GENERATOR_SHARE = 0.80
STEADY_TOLERANCE = 0.10
STEADY_LEAST = 100  # requests a window: the P95 of fewer moves by more than the tolerance
P95_REQUESTS = 1000


@dataclass(frozen=True)
class Third:
    """One of three successive parts of the measured windows, its restarts pooled."""

    n: int
    throughput_rps: float
    p95_ms: float


def thirds_of(windows: Sequence[Window]) -> list[Third]:
    """The first, second and last third of every window, each pooled over the windows."""
    return [_third(windows, part) for part in range(3)]


def littles_law(users: int, throughput: float, mean_ms: float) -> str | None:
    """In a closed loop without think time, throughput times mean latency is the number of users."""
    in_flight = throughput * mean_ms / 1000
    if abs(in_flight - users) <= LITTLE_TOLERANCE * users:
        return None
    return f"Little's law: {in_flight:.2f} requests in flight, not {users} (5 % allowed)"


def generator_has_room(shares: Sequence[float]) -> str | None:
    """The load generator used less than 80 % of its core in every run."""
    worst = max(shares, default=0.0)
    if worst < GENERATOR_SHARE:
        return None
    return f"the load generator used {worst:.0%} of its core (below 80 % wanted)"


def steady_state(thirds: Sequence[Third]) -> str | None:
    """Throughput and P95 of three successive windows stay within 10 % of their mean."""
    fewest = min((third.n for third in thirds), default=0)
    if fewest < STEADY_LEAST:
        return f"steady state cannot be judged: {fewest} requests a window (100 wanted)"
    for name, values in (
        ("throughput", [third.throughput_rps for third in thirds]),
        ("P95", [third.p95_ms for third in thirds]),
    ):
        mean = sum(values) / len(values)
        furthest = max(abs(value - mean) for value in values) / mean
        if furthest > STEADY_TOLERANCE:
            return f"not steady: {name} of three windows up to {furthest:.0%} from their mean"
    return None


def no_errors(errors: int, n: int) -> str | None:
    """Every request was answered with a prediction."""
    return f"{errors} of {errors + n} requests failed" if errors else None


def enough_requests(n: int) -> str | None:
    """A P95 needs 1,000 requests for a sampling error of about 10 %."""
    return None if n >= P95_REQUESTS else f"{n} requests, too few for a P95 (1,000 wanted)"


def connections_as_meant(users: int, seen: Sequence[int]) -> str | None:
    """Each user had one connection of its own to the server, in every run."""
    wrong = [count for count in seen if count != users]
    return f"{wrong[0]} connections to the server, not {users}" if wrong else None


def cores_apart(server: Sequence[int], generator: Sequence[int]) -> str | None:
    """Server and generator ran on different cores."""
    if not server or not generator:
        return "server and generator could not be pinned to cores on this system"
    if set(server) & set(generator):
        return "server and generator shared a core: this machine has one"
    return None


def _third(windows: Sequence[Window], part: int) -> Third:
    latencies: list[NDArray[np.float64]] = []
    for window in windows:
        place = (window.samples.end_s - window.start_s) / max(window.seconds, 1e-9) * 3
        # The last completion is at place 3 and belongs to the last third.
        latencies.append(window.samples.latency_ms[np.minimum(np.floor(place), 2) == part])
    pooled = np.concatenate(latencies)
    seconds = sum(window.seconds for window in windows) / 3
    return Third(
        n=len(pooled),
        throughput_rps=len(pooled) / seconds if seconds else 0.0,
        p95_ms=float(np.percentile(pooled, 95)) if len(pooled) else 0.0,
    )
