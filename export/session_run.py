"""Starts `export.session_probe` and reads what it printed, whether or not it survived."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_DEADLINE_S = 1800
_ENVIRONMENT = {
    # As our servers are started: oneDNN keeps the reordered weights of variables.
    "TF_ONEDNN_ASSUME_FROZEN_WEIGHTS": "1",
    "CUDA_VISIBLE_DEVICES": "-1",  # the references are the CPU's
    "TF_CPP_MIN_LOG_LEVEL": "2",
}


@dataclass(frozen=True, kw_only=True)
class Step:
    """One request to the model: its answer by output alias, or an error."""

    answer: dict[str, Any] | None
    error: str
    """Name of TensorFlow's exception and its message; empty where there is an answer."""


@dataclass(kw_only=True)
class SessionRun:
    """What the process said before it ended."""

    signatures: dict[str, Any] = field(default_factory=dict)
    steps: dict[str, Step] = field(default_factory=dict)
    convolutions: dict[str, int] = field(default_factory=dict)
    """How many of each op the optimised graph of `serving_default` has."""

    unfinished: str = "loading the SavedModel"
    """The step during which the process ended; empty when it ended by itself."""

    ending: str = ""
    """How it ended, if not well: exit status and last line of stderr."""


def run_session(folder: Path, probe_file: Path, photos_file: Path | None = None) -> SessionRun:
    """Runs every step of the session probe on the SavedModel in `folder`.

    Args:
        folder: the SavedModel.
        probe_file: as `Probe.save` writes it.
        photos_file: as `PhotoReferences.save_paths` writes it.
    """
    package_root = str(Path(__file__).parent.parent)
    search_path = os.pathsep.join(filter(None, [package_root, os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "export.session_probe", str(folder), str(probe_file)]
    command += [] if photos_file is None else [str(photos_file)]
    environment = {**os.environ, **_ENVIRONMENT, "PYTHONPATH": search_path}
    try:
        process = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=_DEADLINE_S,
        )
    except subprocess.TimeoutExpired as error:
        printed = error.stdout.decode() if isinstance(error.stdout, bytes) else ""
        return _read(printed, f"no end within {_DEADLINE_S} s")
    ending = ""
    if process.returncode != 0:
        last_line = (process.stderr.strip().splitlines() or ["nothing on stderr"])[-1]
        ending = f"exit status {process.returncode}: {last_line}"
    return _read(process.stdout, ending)


def _read(printed: str, ending: str) -> SessionRun:
    run = SessionRun(ending=ending)
    for text in printed.splitlines():
        line = json.loads(text)
        if "begins" in line:
            run.unfinished = line["begins"]
        elif "signatures" in line:
            run.signatures = line["signatures"]
        elif "convolutions" in line:
            run.convolutions = line["convolutions"]
        else:
            run.steps[line["step"]] = Step(answer=line.get("answer"), error=line.get("error", ""))
    if not ending:
        run.unfinished = ""
    return run
