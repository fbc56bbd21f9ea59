"""The raw rows of a run, one a request, and the part of them that is measured.

    users start        warm-up ends                      enough requests
         |  warm-up          |  measured window                 |
    -----+-------------------+*----------*-------*------*-------*-----> completions
                              ^ origin: the first completion    ^ the last one
                                after the warm-up, itself not counted

The window opens and closes at a completion, so completions / length is the throughput without a
bias at the edges. The few requests in flight when it opens were sent under full load and count.
"""

import csv
import gzip
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

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
        start_s: The completion that opens it.
        end_s: The completion that closes it.
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
    """The window after warmup_s seconds of load; empty if nothing ended after them."""
    ends_s = samples.end_s
    warm_s = (samples.start_s.min() if len(samples) else 0.0) + warmup_s
    first = int(np.searchsorted(ends_s, warm_s))
    counted = select(samples, slice(first + 1, None))
    if not len(counted):
        return Window(start_s=warm_s, end_s=warm_s, samples=counted)
    return Window(start_s=float(ends_s[first]), end_s=float(ends_s[-1]), samples=counted)


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
                phase = "measured" if end_s > window.start_s else "warm-up"
                writer.writerow((target, repeat, phase, *row))
