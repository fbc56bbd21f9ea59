"""Runs a module that loads a model in a process of its own, and reads the lines it printed.

Whatever the model does to that process, the caller outlives it.
"""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ENVIRONMENT = {
    # Its convolutions abort the process where others answer with an error. TensorFlow uses them by
    # itself on newer processors only, and the model may be served by one.
    "TF_ENABLE_ONEDNN_OPTS": os.environ.get("TF_ENABLE_ONEDNN_OPTS", "1"),
    # As our servers are started: oneDNN keeps the reordered weights of variables.
    "TF_ONEDNN_ASSUME_FROZEN_WEIGHTS": "1",
    "CUDA_VISIBLE_DEVICES": "-1",
    "TF_CPP_MIN_LOG_LEVEL": "2",
}

_FRAME = re.compile(r"\s+@ |\*\*\* ")
"""A line of the stack trace below what was wrong."""

_LOG_PREFIX = re.compile(r"^[IWEF]\d{4} [^]]*\] ")
"""Severity, time, thread and source line before a message of TensorFlow's."""


@dataclass(frozen=True, kw_only=True)
class ModelProcess:
    """What a process said before it ended."""

    lines: tuple[dict[str, Any], ...]
    """The JSON objects on its stdout."""

    status: int | None
    """Exit status, negative for a signal; None where it had to be ended."""

    ending: str
    """How it ended, if not with status 0: the status or signal, and the last line of stderr."""

    @property
    def was_killed(self) -> bool:
        """Whether it did not end by itself: by a signal, or never."""
        return self.status is None or self.status < 0


def run_model_process(module: str, arguments: Sequence[str], deadline_s: float) -> ModelProcess:
    """Runs `python -m MODULE ARGUMENTS` to its end, or for `deadline_s` seconds."""
    package_root = str(Path(__file__).parents[2])
    search_path = os.pathsep.join(filter(None, [package_root, os.environ.get("PYTHONPATH")]))
    try:
        process = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            env={**os.environ, **_ENVIRONMENT, "PYTHONPATH": search_path},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=deadline_s,
        )
    except subprocess.TimeoutExpired as error:
        printed = error.stdout.decode() if isinstance(error.stdout, bytes) else ""
        ending = f"no end within {deadline_s:g} s"
        return ModelProcess(lines=_lines(printed), status=None, ending=ending)
    return ModelProcess(
        lines=_lines(process.stdout),
        status=process.returncode,
        ending=_ending(process.returncode, process.stderr),
    )


def _ending(status: int, stderr: str) -> str:
    if status == 0:
        return ""
    said = [line for line in stderr.splitlines() if line.strip() and not _FRAME.match(line)]
    last_line = _LOG_PREFIX.sub("", said[-1]) if said else "nothing on stderr"
    how = f"exit status {status}" if status > 0 else signal.Signals(-status).name
    return f"{how}; last on stderr: {last_line.strip()}"


def _lines(printed: str) -> tuple[dict[str, Any], ...]:
    """A model may print, too: only whole JSON objects are ours."""
    found = []
    for text in printed.splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict):
            found.append(line)
    return tuple(found)
