"""All gates, in the order in which their failures explain each other."""

from export.gates.agreement_gates import agreement_gates
from export.gates.gate import Candidate, GateResult
from export.gates.graph_gates import graph_gates
from export.gates.session_gates import session_gates
from export.gates.trace_gates import trace_gates
from export.photo_references import PhotoReferences
from export.probe import Probe
from export.session_run import SessionRun


def judge(
    candidate: Candidate,
    run: SessionRun,
    probe: Probe,
    references: PhotoReferences | None = None,
) -> list[GateResult]:
    """Every gate's verdict on a candidate and what the session probe saw of it."""
    return [
        *session_gates(candidate, run),
        *agreement_gates(candidate, run, probe, references),
        *trace_gates(candidate, probe),
        *graph_gates(candidate, run),
    ]
