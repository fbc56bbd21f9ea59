"""What the comparison is doing, on stderr: a bar on a terminal, plain lines elsewhere."""

import sys
import time

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


class Narrator:
    """Says each step, and how many of the runs are done."""

    def __init__(self, runs: int) -> None:
        console = Console(stderr=True)
        self._is_terminal = console.is_terminal
        self._start_s = time.perf_counter()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not self._is_terminal,
        )
        self._task = self._progress.add_task("starting", total=runs)

    def __enter__(self) -> "Narrator":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def say(self, sentence: str) -> None:
        """Says what begins now."""
        if self._is_terminal:
            self._progress.update(self._task, description=sentence)
        else:
            elapsed_s = time.perf_counter() - self._start_s
            print(f"[{elapsed_s:4.0f} s] {sentence}", file=sys.stderr, flush=True)

    def report(self, sentence: str) -> None:
        """Says what a run gave, and counts the run."""
        if self._is_terminal:
            self._progress.console.print(sentence, highlight=False)
            self._progress.advance(self._task)
        else:
            self.say(sentence)
