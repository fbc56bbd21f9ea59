"""Writes each form of a network, puts it to the gates and publishes what passes."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from export.config import ExportConfig
from export.errors import ExportError
from export.forms import Form
from export.gates import AGREEMENT, Candidate, GateResult, judge
from export.models_folder import RECORD_FILE, publish, remember_refusal
from export.probe import Probe, make_probe
from export.progress import Narrator
from export.record import export_record
from export.saved_model import Contents, write_saved_model
from export.session_run import run_session
from export.source_run import SourceRun, load_model

_CPU_FILE = Path("/proc/cpuinfo")
_BF16_FLAGS = ("avx512_bf16", "amx_bf16")


@dataclass(frozen=True, kw_only=True)
class Export:
    """What all forms of one export share."""

    run: SourceRun
    config: ExportConfig
    workspace: Path
    """An empty folder on the file system of the models."""

    narrator: Narrator


def export_forms(forms: list[Form], export: Export) -> tuple[list[str], dict[str, str]]:
    """Exports the forms one after another, fp32 first.

    Returns:
        The folders of the published versions, and by model why the gates refused it.

    Raises:
        ExportError: the network cannot be exported, or the gates refuse the fp32 form.
    """
    published: list[str] = []
    refused: dict[str, str] = {}
    with export.narrator.doing(f"reading {export.run.folder} and asking its model eagerly"):
        model = load_model(export.run)
        probe = make_probe(model)
        probe.save(_probe_file(export))
    for form in forms:
        candidate = _write(model, form, export)
        gates = _judge(candidate, probe, form, export)
        why = "; ".join(f"gate '{gate.name}': {gate.detail}" for gate in gates if not gate.passed)
        if why:
            _refuse(form, export.run, gates, why)
            refused[form.model] = why
        else:
            published.append(str(_publish(candidate, gates, form, export)))
            export.narrator.say(f"published {published[-1]}")
    return published, refused


def _write(model: Any, form: Form, export: Export) -> Candidate:  # noqa: ANN401
    folder = export.workspace / form.precision
    with export.narrator.doing(f"{form.model}: folding batch norm, weights in {form.precision}"):
        contents = Contents(
            labels=export.run.labels,
            precision=form.precision,
            warmup_signatures=export.config.warmup_signatures,
            warmup_batch_sizes=export.config.warmup_batch_sizes,
        )
        weights_bytes = write_saved_model(model, contents, folder)
    return Candidate(
        folder=folder,
        labels=export.run.labels,
        weights_bytes=weights_bytes,
        tolerance=form.tolerance,
    )


def _judge(candidate: Candidate, probe: Probe, form: Form, export: Export) -> list[GateResult]:
    with export.narrator.doing(f"{form.model}: the gates, in a session of another process"):
        gates = judge(candidate, probe, run_session(candidate.folder, _probe_file(export)))
    for gate in gates:
        export.narrator.say(
            f"  {'passed' if gate.passed else 'FAILED'}  {gate.name}: {gate.detail}"
        )
    if form.precision == "bf16" and not _has_bf16():
        export.narrator.say(
            f"{form.model} runs here, but slower than fp32: this CPU has neither "
            f"{' nor '.join(_BF16_FLAGS)}"
        )
    return gates


def _refuse(form: Form, run: SourceRun, gates: list[GateResult], why: str) -> None:
    """Raises for fp32. A disagreement comes again and is remembered; a crash may not come again."""
    if form.precision == "fp32":
        raise ExportError(f"{form.model} is not published: {why}")
    if [gate.name for gate in gates if not gate.passed] == [AGREEMENT]:
        remember_refusal(form, run.digest, why)


def _publish(candidate: Candidate, gates: list[GateResult], form: Form, export: Export) -> Path:
    record = export_record(form, export.run, candidate, gates)
    text = json.dumps(record, indent=2) + "\n"
    (candidate.folder / RECORD_FILE).write_text(text, encoding="utf-8")
    return publish(candidate.folder, form)


def _probe_file(export: Export) -> Path:
    return export.workspace / "probe.npz"


def _has_bf16() -> bool:
    """Whether the CPU computes bfloat16 itself; True where Linux does not tell."""
    if not _CPU_FILE.is_file():
        return True
    flags = _CPU_FILE.read_text(encoding="utf-8").split()
    return any(flag in flags for flag in _BF16_FLAGS)
