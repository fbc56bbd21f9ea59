"""Which processor cores the server and the load generator get, and how they are held to them."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Cores:
    """Core numbers; both empty where the system cannot pin a process."""

    server: tuple[int, ...]
    generator: tuple[int, ...]


def share_cores() -> Cores:
    """The last usable core for the server and the first for the generator, the rest left free."""
    if not hasattr(os, "sched_getaffinity"):
        return Cores((), ())
    usable = sorted(os.sched_getaffinity(0))
    return Cores((usable[-1],), (usable[0],))


def pin(pid: int, cores: tuple[int, ...]) -> None:
    """Holds a process, and the threads and processes that it starts from now on, to its cores."""
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(pid, cores)


@contextlib.contextmanager
def held_to(cores: tuple[int, ...]) -> Iterator[None]:
    """Holds this thread, and what it starts, to cores while the block lasts."""
    if not cores or not hasattr(os, "sched_getaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
