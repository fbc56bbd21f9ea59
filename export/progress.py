"""What the export is doing, on stderr: a line a step, and a spinner where it is a terminal."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from export.gates.gate import GateResult


class Narrator:
    """Says each step with the seconds since the start."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, soft_wrap=True, markup=False)
        self._start_s = time.perf_counter()

    def say(self, sentence: str) -> None:
        """One line."""
        elapsed_s = time.perf_counter() - self._start_s
        self._console.print(f"[{elapsed_s:4.0f} s] {sentence}")

    def show_gates(self, gates: "Sequence[GateResult]") -> None:
        """A line for each gate: verdict, name, what was expected and what came."""
        for gate in gates:
            self.say(f"  {'passed' if gate.passed else 'FAILED'}  {gate.name}: {gate.detail}")

    @contextmanager
    def doing(self, sentence: str) -> Iterator[None]:
        """Says what begins; spins until it is done, where stderr is a terminal."""
        self.say(sentence)
        if not self._console.is_terminal:
            yield
            return
        with self._console.status(sentence):
            yield
