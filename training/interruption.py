"""Ctrl-C and SIGTERM as a question that the loop asks between two steps.

Within a step they would leave variables of which some are from before it and some from after.
"""

import signal
import threading
from contextlib import AbstractContextManager
from types import FrameType, TracebackType
from typing import Self


class Interruption(AbstractContextManager["Interruption"]):
    """While entered, the first signal is noted; a second one interrupts at once."""

    def __init__(self) -> None:
        self.is_asked_for = False
        self._before: dict[int, object] = {}

    def __enter__(self) -> Self:
        # Python lets only its main thread handle signals.
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def obey(self) -> None:
        """Interrupt, if it was asked for: the caller's work is saved."""
        if self.is_asked_for:
            raise KeyboardInterrupt

    def _note(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.obey()
        self.is_asked_for = True
