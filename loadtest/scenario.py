"""The load that every target of a comparison gets."""

import math
from dataclasses import dataclass

from loadtest.config import CompareConfig


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A closed loop: each user sends its next request when it has the answer to its last.

    Attributes:
        users: Requests always in flight.
        repeats: Restarts of each target.
        requests_per_run: Measured requests after which a run may end.
        warmup_s: Seconds of the same load that are not measured.
        min_s: Shortest measured window of a run.
        max_s: Longest measured window of a run.
        seed: Seed of each user's order of photos.
    """

    users: int
    repeats: int
    requests_per_run: int
    warmup_s: float
    min_s: float
    max_s: float
    seed: int


def scenario_of(config: CompareConfig) -> Scenario:
    """The load that a configuration asks for; `quick` bounds it to a few seconds a target."""
    repeats = 1 if config.quick else config.repeats
    per_run = math.ceil(config.requests / repeats)
    if config.quick:
        return Scenario(
            users=config.users,
            repeats=1,
            requests_per_run=min(per_run, 100),
            warmup_s=min(config.warmup_s, 1.0),
            min_s=min(config.min_seconds, 3.0),
            max_s=min(config.max_seconds, 8.0),
            seed=config.seed,
        )
    return Scenario(
        users=config.users,
        repeats=repeats,
        requests_per_run=per_run,
        warmup_s=config.warmup_s,
        min_s=config.min_seconds,
        max_s=config.max_seconds,
        seed=config.seed,
    )


def interleaved(names: list[str], repeats: int) -> list[tuple[str, int]]:
    """The order of runs: A B C, then C B A, and so on, so that drift falls on all alike.

    Returns:
        Pairs of a target's name and its repeat, counted from 1.
    """
    return [
        (name, repeat)
        for repeat in range(1, repeats + 1)
        for name in (names if repeat % 2 else reversed(names))
    ]
