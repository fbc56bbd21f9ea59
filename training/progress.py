"""How far the training is, on stderr: a moving bar on a terminal, a few plain lines elsewhere."""

import sys
import time
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

_PLAIN_EVERY_S = 15.0


class Reporter(Protocol):
    """What the loop tells."""

    def say(self, sentence: str) -> None:
        """Tell something that stays."""

    def step(self, done: int, figures: str) -> None:
        """Tell that `done` of all steps are done."""


class BarReporter(AbstractContextManager["BarReporter"]):
    """A bar with the time left, on a terminal."""

    def __init__(self, steps: int) -> None:
        self._progress = Progress(
            TextColumn("training"),
            BarColumn(),
            TextColumn("{task.completed}/{task.total} steps"),
            TimeRemainingColumn(),
            TextColumn("left  {task.description}"),
            console=Console(stderr=True),
        )
        self._task: TaskID = self._progress.add_task("", total=steps)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def say(self, sentence: str) -> None:
        """Print above the bar."""
        self._progress.console.print(sentence, highlight=False, markup=False)

    def step(self, done: int, figures: str) -> None:
        """Move the bar."""
        self._progress.update(self._task, completed=done, description=figures)


class PlainReporter(AbstractContextManager["PlainReporter"]):
    """A line every quarter of a minute, for logs."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._began = self._told = time.monotonic()
        self._first: int | None = None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing to take down."""

    def say(self, sentence: str) -> None:
        """Print a line."""
        print(sentence, file=sys.stderr, flush=True)

    def step(self, done: int, figures: str) -> None:
        """Print a line, if the last one is old enough."""
        now = time.monotonic()
        if self._first is None:
            self._began, self._first = now, done
        if now - self._told < _PLAIN_EVERY_S or done == self._first:
            return
        self._told = now
        left_s = (now - self._began) / (done - self._first) * (self._steps - done)
        self.say(f"step {done} of {self._steps}, about {left_s:.0f} s left, {figures}")


class SilentReporter(PlainReporter):
    """Tells nothing: for workers beside the one that tells."""

    def __init__(self) -> None:
        super().__init__(steps=0)

    def say(self, sentence: str) -> None:
        """Nothing."""

    def step(self, done: int, figures: str) -> None:
        """Nothing."""


def reporter(steps: int) -> BarReporter | PlainReporter:
    """Give the one that fits stderr."""
    return BarReporter(steps) if sys.stderr.isatty() else PlainReporter(steps)
