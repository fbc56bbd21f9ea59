"""Memory, processor time and connections of running processes, sampled from outside.

Memory is the PSS (each shared page divided among those that map it) summed over a process and all
its children, from the kernel's smaps_rollup; where there is none (macOS) it is psutil's RSS.
The sampler's thread is the only writer of its list; it is read after the thread has ended.
"""

import csv
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil

_INTERVAL_S = 0.25
_FIELDS = ("role", "time_s", "pss_mb", "rss_mb", "uss_mb", "cpu_s", "connections")


@dataclass(frozen=True, kw_only=True)
class Resource:
    """One look at a process tree.

    Attributes:
        role: `server` or `generator`.
        time_s: Seconds of time.perf_counter.
        pss_mb: Proportional set size, 1 MB = 1e6 bytes (RSS where there is no PSS).
        rss_mb: Resident set size.
        uss_mb: Unique set size.
        cpu_s: Processor seconds used since the start.
        connections: Established TCP connections to the server's port.
    """

    role: str
    time_s: float
    pss_mb: float
    rss_mb: float
    uss_mb: float
    cpu_s: float
    connections: int


class Sampler:
    """Looks at processes four times a second while its block lasts."""

    def __init__(self, server_port: int) -> None:
        self.samples: list[Resource] = []
        self._port = server_port
        self._watched: dict[str, psutil.Process] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample, name="resources", daemon=True)

    def watch(self, role: str, pid: int) -> None:
        """Adds a process; it is looked at until it ends."""
        self._watched[role] = psutil.Process(pid)

    def __enter__(self) -> "Sampler":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._ended.wait(_INTERVAL_S):
            for role, process in list(self._watched.items()):
                try:
                    self.samples.append(look(role, process, self._port))
                except (psutil.Error, OSError):
                    continue  # it has ended


def look(role: str, process: psutil.Process, server_port: int) -> Resource:
    """Measures a process and its children now.

    Raises:
        psutil.Error: The process has ended.
    """
    tree = [process, *process.children(recursive=True)]
    memory = np.sum([_memory_bytes(member) for member in tree], axis=0) / 1e6
    times = [member.cpu_times() for member in tree]
    return Resource(
        role=role,
        time_s=time.perf_counter(),
        pss_mb=float(memory[0]),
        rss_mb=float(memory[1]),
        uss_mb=float(memory[2]),
        cpu_s=sum(used.user + used.system for used in times),
        connections=_connections_to(process, server_port) if role == "generator" else 0,
    )


def has_pss() -> bool:
    """Whether this system tells the PSS of a process."""
    return Path("/proc/self/smaps_rollup").exists()


def share_of_core(samples: Sequence[Resource], start_s: float, end_s: float) -> float:
    """Processor seconds a second that the generator used between two times."""
    own = [sample for sample in samples if sample.role == "generator"]
    if len(own) < 2 or end_s <= start_s:
        return 0.0
    times_s = [sample.time_s for sample in own]
    used_s = np.interp([start_s, end_s], times_s, [sample.cpu_s for sample in own])
    return float((used_s[1] - used_s[0]) / (end_s - start_s))


def connections_held(samples: Sequence[Resource], start_s: float, end_s: float) -> int:
    """Median number of the generator's connections between two times."""
    counts = [s.connections for s in _between(samples, "generator", start_s, end_s)]
    return int(np.median(counts)) if counts else 0


def steady_memory_mb(samples: Sequence[Resource], start_s: float, end_s: float) -> float:
    """Median of the server's memory between two times, in megabytes; its last if none was taken."""
    sizes = [s.pss_mb for s in _between(samples, "server", start_s, end_s)]
    last = [s.pss_mb for s in samples if s.role == "server"][-1:]
    return float(np.median(sizes or last or [0.0]))


def peak_memory_mb(samples: Sequence[Resource]) -> float:
    """Largest memory of the server at any look, in megabytes."""
    return max((sample.pss_mb for sample in samples if sample.role == "server"), default=0.0)


def write_resources(path: Path, runs: Iterable[tuple[str, int, float, Sequence[Resource]]]) -> None:
    """Writes resources.csv: for each run its target, repeat, origin in seconds, and samples."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("target", "repeat", *_FIELDS))
        for target, repeat, origin_s, samples in runs:
            for sample in samples:
                values = (
                    f"{sample.time_s - origin_s:.3f}",
                    f"{sample.pss_mb:.2f}",
                    f"{sample.rss_mb:.2f}",
                    f"{sample.uss_mb:.2f}",
                    f"{sample.cpu_s:.2f}",
                    sample.connections,
                )
                writer.writerow((target, repeat, sample.role, *values))


def _between(
    samples: Sequence[Resource], role: str, start_s: float, end_s: float
) -> list[Resource]:
    return [s for s in samples if s.role == role and start_s <= s.time_s <= end_s]


def _memory_bytes(process: psutil.Process) -> tuple[int, int, int]:
    """PSS, RSS and USS of one process, in bytes; zeros where it ended meanwhile."""
    try:
        lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()[1:]
    except ProcessLookupError:
        return 0, 0, 0
    except OSError:
        rss = int(process.memory_info().rss)
        return rss, rss, rss
    sizes = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines}
    return sizes["Pss"], sizes["Rss"], sizes["Private_Clean"] + sizes["Private_Dirty"]


def _connections_to(process: psutil.Process, port: int) -> int:
    return sum(
        1
        for connection in process.net_connections(kind="tcp")
        if connection.status == psutil.CONN_ESTABLISHED
        and connection.raddr
        and connection.raddr.port == port
    )
