"""`export.json`: where a published version came from, and what the gates measured."""

import subprocess
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from export.gates.gate import Candidate, GateResult
from export.gates.graph_gates import folder_bytes
from export.source_run import SourceRun


def export_record(
    candidate: Candidate, run: SourceRun, gates: list[GateResult], facts: dict[str, Any]
) -> dict[str, Any]:
    """The content of export.json; `bytes` counts the folder without this record."""
    form = candidate.form
    return {
        "model": form.model,
        "precision": form.precision,
        "weights": form.weights,
        **facts,
        "source_run": str(run.folder),
        "digest": run.digest,
        "classes": len(run.labels),
        "weights_bytes": candidate.weights_bytes,
        "bytes": folder_bytes(candidate.folder),
        "tolerance": form.tolerance,
        "gates": [asdict(gate) for gate in gates],
        "tensorflow": version("tensorflow"),
        "keras": version("keras"),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
    }


def _commit() -> str | None:
    """The commit of this code; None where it is not in a git checkout, or git is not there."""
    try:
        asked = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return asked.stdout.strip()
