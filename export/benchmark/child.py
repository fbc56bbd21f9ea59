"""The parent's side of a measured process: starts it, asks it, says how it died."""

import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from export.benchmark.written import Subject
from export.errors import ExportError

_ANSWER_S = 600
_END_S = 30


class Child:
    """One `export.benchmark.subject` process, which ends with the context."""

    def __init__(self, subject: Subject, cores: str) -> None:
        """Names what to start; `cores` is `all` or `1`."""
        self._subject, self._cores = subject, cores

    def __enter__(self) -> Self:
        """Starts the process."""
        self._stderr: IO[str] = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        command = [sys.executable, "-m", "export.benchmark.subject"]
        command += [self._subject.kind, str(self._subject.path), self._cores]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
            env=child_environment(self._subject.kind, self._cores),
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Ends it: at the end of its stdin, or else by force."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._stderr.close()

    def ask(self, question: str, **details: Any) -> dict[str, Any]:  # noqa: ANN401
        """Asks one of the questions of `export.benchmark.subject`.

        Raises:
            ExportError: the process died, or gave no answer in time.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps({"ask": question, **details}) + "\n")
            self._process.stdin.flush()
        # It prints one line an answer, so that none waits in a buffer that select cannot see.
        ready, _, _ = select.select([self._process.stdout], [], [], _ANSWER_S)
        if not ready:
            self._process.kill()
            raise ExportError(f"{self._subject.name}: no answer to {question!r} in {_ANSWER_S} s")
        line = self._process.stdout.readline()
        if not line:
            raise ExportError(
                f"{self._subject.name}: its process ended at {question!r} with {self._ending()}"
            )
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _ending(self) -> str:
        status = self._process.wait(_END_S)
        self._stderr.seek(0)
        last_line = (self._stderr.read().strip().splitlines() or ["nothing on stderr"])[-1]
        return f"exit status {status}: {last_line}"


def start(subjects: Sequence[Subject], cores: str, stack: ExitStack) -> list[Child]:
    """Starts all at once; returns when each has imported TensorFlow and waits to be asked."""
    children = [stack.enter_context(Child(subject, cores)) for subject in subjects]
    for child in children:
        child.ask("ready")
    return children


def child_environment(kind: str, cores: str) -> dict[str, str]:
    """What a measured process is started with.

    Sessions as our servers are: oneDNN keeps the reordered weights of variables. Eager Keras
    without it, for its answers would be wrong: oneDNN then keeps the first weights that it saw for
    every later convolution of the same shape.
    """
    package_root = str(Path(__file__).parents[2])
    search_path = os.pathsep.join(filter(None, [package_root, os.environ.get("PYTHONPATH")]))
    threads = {"TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1"}
    return {
        **os.environ,
        "PYTHONPATH": search_path,
        "TF_ONEDNN_ASSUME_FROZEN_WEIGHTS": "1" if kind == "session" else "0",
        "CUDA_VISIBLE_DEVICES": "-1",
        **(threads if cores == "1" else {}),
    }
