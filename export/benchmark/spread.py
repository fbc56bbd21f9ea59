"""A figure of several rounds with its 95 % interval."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_DRAWS = 2000

METHOD = (
    "figures are geometric means over the rounds, intervals the 95 % bootstrap percentile "
    f"intervals over rounds ({_DRAWS} draws)"
)


@dataclass(frozen=True)
class Spread:
    """A mean and its interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f} to {self.high:.2f})"


def spread(values: Sequence[float]) -> Spread:
    """The geometric mean of positive figures, one a round."""
    logs = np.log(values)
    draws = np.random.default_rng(1).integers(0, len(logs), (_DRAWS, len(logs)))
    low, high = np.percentile(logs[draws].mean(axis=1), [2.5, 97.5])
    return Spread(*(float(np.exp(value)) for value in (logs.mean(), low, high)))
