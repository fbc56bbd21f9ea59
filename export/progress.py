"""What the export is doing, on stderr: a line a step, and a spinner where it is a terminal."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console


class Narrator:
    """Says each step with the seconds since the start."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, soft_wrap=True, markup=False)
        self._start_s = time.perf_counter()

    def say(self, sentence: str) -> None:
        """One line."""
        elapsed_s = time.perf_counter() - self._start_s
        self._console.print(f"[{elapsed_s:4.0f} s] {sentence}")

    @contextmanager
    def doing(self, sentence: str) -> Iterator[None]:
        """Says what begins; spins until it is done, where stderr is a terminal."""
        self.say(sentence)
        if not self._console.is_terminal:
            yield
            return
        with self._console.status(sentence):
            yield
