"""Measuring in turns: each round runs every subject once, so that all share the machine's moods.

    round 1: A B C D      round 2: B C D A      round 3: C D A B ...

A ratio is taken within each round; its interval says how far the rounds agree.
"""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_DRAWS = 2000

METHOD = (
    "Subjects take turns within each round, in rotating order, after rounds that are not counted. "
    "A ratio is the geometric mean over the rounds of the ratios within a round; its interval is "
    f"the 95 % bootstrap percentile interval over rounds ({_DRAWS} draws). Images a second are "
    "medians over rounds. Cores are processor time over wall time, of the whole process."
)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What is measured."""

    name: str
    what: str
    """What it is, in a phrase."""
    run: Callable[[], int]
    """One round's work; gives the number of images that went through."""
    new_shape: Callable[[], object] | None = None
    """A call with a batch of a size not seen before, for subjects that may trace anew."""
    traces: Callable[[], int] = lambda: 0
    """How often TensorFlow has traced it."""


@dataclass(frozen=True)
class Round:
    """One subject's turn."""

    images: int
    wall_s: float
    cpu_s: float


@dataclass(frozen=True)
class Ratio:
    """How many times as fast, with a 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def is_told_apart_from_1(self) -> bool:
        """Whether the interval leaves out 1."""
        return not self.low <= 1 <= self.high

    def __str__(self) -> str:
        return f"{self.value:.2f}x ({self.low:.2f} to {self.high:.2f})"


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A subject's rounds; `first_s` and `new_shape_s` include traces and compilation."""

    name: str
    what: str
    rounds: tuple[Round, ...]
    first_s: float
    new_shape_s: float | None
    traces: int

    @property
    def images_per_second(self) -> float:
        """Median over the rounds."""
        return float(np.median([turn.images / turn.wall_s for turn in self.rounds]))

    @property
    def cores(self) -> float:
        """Processor time over wall time."""
        return sum(turn.cpu_s for turn in self.rounds) / sum(turn.wall_s for turn in self.rounds)

    @property
    def core_share(self) -> float:
        """`cores` over the machine's."""
        return self.cores / (os.cpu_count() or 1)


def measure(
    subjects: Sequence[Subject],
    *,
    rounds: int,
    warm_up: int,
    progress: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> tuple[Measured, ...]:
    """Run the subjects in turns.

    Args:
        subjects: what to run, in the order of the table.
        rounds: how many rounds count; at least 2.
        warm_up: how many go before, at least 1.
        progress: shows how far the numbers of all rounds are.

    Returns:
        What was measured, in the subjects' order.
    """
    turns: dict[str, list[Round]] = {subject.name: [] for subject in subjects}
    for number in progress(range(warm_up + rounds)):
        shift = number % len(subjects)
        for subject in (*subjects[shift:], *subjects[:shift]):
            turns[subject.name].append(_turn(subject.run))
    new_shape_s = {
        subject.name: _turn(subject.new_shape).wall_s for subject in subjects if subject.new_shape
    }
    return tuple(
        Measured(
            name=subject.name,
            what=subject.what,
            rounds=tuple(turns[subject.name][warm_up:]),
            first_s=turns[subject.name][0].wall_s,
            new_shape_s=new_shape_s.get(subject.name),
            traces=subject.traces(),
        )
        for subject in subjects
    )


def ratio(subject: Measured, baseline: Measured) -> Ratio:
    """How many times as many images a second the subject takes as the baseline."""
    logs = np.log(_speeds(subject)) - np.log(_speeds(baseline))
    draws = np.random.default_rng(1).integers(0, len(logs), (_DRAWS, len(logs)))
    low, high = np.percentile(logs[draws].mean(axis=1), [2.5, 97.5])
    return Ratio(*(float(np.exp(value)) for value in (logs.mean(), low, high)))


def _speeds(measured: Measured) -> NDArray[np.float64]:
    return np.array([turn.images / turn.wall_s for turn in measured.rounds])


def _turn(run: Callable[[], object]) -> Round:
    wall, cpu = time.perf_counter(), time.process_time()
    images = run()
    return Round(
        images if isinstance(images, int) else 0,
        time.perf_counter() - wall,
        time.process_time() - cpu,
    )
