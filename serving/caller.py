"""Who waits for an answer: until when, and whether they still do.

The transport that made a `Caller` owns it and says once that it is gone; whoever works for the
caller asks, or is told, from any thread.
"""

import threading
import time
from collections.abc import Callable

from serving.errors import Fault, ServingError


class Caller:
    """The one who sent a request, from its arrival to its answer."""

    def __init__(self, timeout_s: float | None = None) -> None:
        """Start to wait.

        Args:
            timeout_s: how long the caller waits; None for ever.
        """
        self.deadline_s = None if timeout_s is None else time.monotonic() + timeout_s
        """The end of the wait on the monotonic clock, which no change of the date moves."""

        self._lock = threading.Lock()
        self._is_gone = False
        self._told: list[Callable[[], None]] = []

    @property
    def is_gone(self) -> bool:
        """Whether nobody reads the answer any more."""
        return self._is_gone

    def remaining_s(self) -> float | None:
        """How long the caller still waits, never below 0; None for ever."""
        if self.deadline_s is None:
            return None
        return max(0.0, self.deadline_s - time.monotonic())

    def leave(self) -> None:
        """Say that the caller is gone: those who asked for it are told, once."""
        with self._lock:
            self._is_gone = True
            told, self._told = self._told, []
        for tell in told:
            tell()

    def when_gone(self, tell: Callable[[], None]) -> None:
        """Have `tell` called when the caller leaves, or at once where it is gone already.

        Args:
            tell: runs on the thread on which the caller leaves, so it must not block.
        """
        with self._lock:
            if not self._is_gone:
                self._told.append(tell)
                return
        tell()

    def check(self) -> None:
        """Refuse work that nobody waits for.

        Raises:
            ServingError: CANCELLED, the caller is gone; DEADLINE_EXCEEDED, its time is over.
        """
        if self._is_gone:
            raise ServingError(Fault.CANCELLED, "The caller is gone: the request was not run")
        if self.remaining_s() == 0:
            raise ServingError(
                Fault.DEADLINE_EXCEEDED, "The deadline passed before the request was run"
            )
