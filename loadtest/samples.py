"""The raw rows of a run, one a request, and the part of them that is measured.

    users start        warm-up ends       enough requests, at the end of a step
         |  warm-up          |  measured window      |
    -----+-------------------+-------+-------+-------+---> steps of half a second
                  x x      x x x    x  x   x x    xx   x   completions

Batches make requests end in bunches, so a window between two completions would count half a bunch
too many or too few. Its edges are therefore times that no completion has chosen. The few requests
in flight when it opens were sent under full load and count.
"""

import csv
import gzip
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

STEP_S = 0.5
ROW_FIELDS = ("start_s", "latency_ms", "ok", "error", "bytes")


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Requests in the order in which they ended.

    Attributes:
        start_s: Send times in seconds of time.perf_counter, whose zero all processes of a machine
            share (Linux and macOS).
        latency_ms: From sending a request to having read its answer.
        ok: Whether the answer was a prediction.
        error: What went wrong; empty where nothing did.
        size_bytes: Length of the answer.
    """

    start_s: NDArray[np.float64]
    latency_ms: NDArray[np.float64]
    ok: NDArray[np.bool_]
    error: tuple[str, ...]
    size_bytes: NDArray[np.int64]

    @property
    def end_s(self) -> NDArray[np.float64]:
        """When each answer had been read, in the seconds of start_s."""
        return self.start_s + self.latency_ms / 1000

    def __len__(self) -> int:
        """How many requests."""
        return len(self.start_s)


@dataclass(frozen=True, kw_only=True)
class Window:
    """The measured part of a run: completions in (start_s, end_s].

    Attributes:
        start_s: When the warm-up ended.
        end_s: The end of its last step.
        samples: The requests that count.
    """

    start_s: float
    end_s: float
    samples: Samples

    @property
    def seconds(self) -> float:
        """Length of the window."""
        return self.end_s - self.start_s


def read_rows(path: Path) -> Samples:
    """Reads the rows that the locustfile wrote, in the order in which the requests ended."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    rows.sort(key=lambda row: float(row["start_s"]) + float(row["latency_ms"]) / 1000)
    return Samples(
        start_s=np.array([float(row["start_s"]) for row in rows]),
        latency_ms=np.array([float(row["latency_ms"]) for row in rows]),
        ok=np.array([row["ok"] == "1" for row in rows], dtype=bool),
        error=tuple(row["error"] for row in rows),
        size_bytes=np.array([int(row["bytes"]) for row in rows], dtype=np.int64),
    )


def measured_window(samples: Samples, warmup_s: float) -> Window:
    """The whole steps after warmup_s seconds of load; empty if there is none."""
    ends_s = samples.end_s
    opens_s = (float(samples.start_s[0]) if len(samples) else 0.0) + warmup_s
    steps = whole_steps(float(ends_s[-1]) - opens_s) if len(samples) else 0
    closes_s = opens_s + steps * STEP_S
    first, last = np.searchsorted(ends_s, [opens_s, closes_s], side="right")
    counted = select(samples, slice(int(first), int(last)))
    return Window(start_s=opens_s, end_s=closes_s, samples=counted)


def whole_steps(seconds: float) -> int:
    """Steps of a window that are over after a time; 0 while the warm-up lasts."""
    return max(0, math.floor(seconds / STEP_S))


def select(samples: Samples, part: slice) -> Samples:
    """The requests of one slice."""
    return Samples(
        start_s=samples.start_s[part],
        latency_ms=samples.latency_ms[part],
        ok=samples.ok[part],
        error=samples.error[part],
        size_bytes=samples.size_bytes[part],
    )


def write_requests(path: Path, runs: Iterable[tuple[str, int, float, Samples, Window]]) -> None:
    """Writes all requests of a comparison as requests.csv.gz, one row each.

    Args:
        path: The file to write.
        runs: For each run its target, repeat, origin (seconds of time.perf_counter that the file
            counts from), all samples and the measured window.
    """
    with gzip.open(path, "wt", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("target", "repeat", "phase", *ROW_FIELDS))
        for target, repeat, origin_s, samples, window in runs:
            for i, end_s in enumerate(samples.end_s):
                row = (
                    f"{samples.start_s[i] - origin_s:.6f}",
                    f"{samples.latency_ms[i]:.4f}",
                    int(samples.ok[i]),
                    samples.error[i],
                    int(samples.size_bytes[i]),
                )
                writer.writerow((target, repeat, _phase(end_s, window), *row))


def _phase(end_s: float, window: Window) -> str:
    if end_s <= window.start_s:
        return "warm-up"
    return "measured" if end_s <= window.end_s else "after"
