"""Writes each form of a network, puts it to the gates and publishes what passes."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from export.config import ExportConfig
from export.errors import ExportError
from export.forms import Form
from export.gates.agreement_gates import ACCURACY, AGREEMENT, PHOTOS, SAME_LABEL
from export.gates.crash_gate import crash_gate
from export.gates.gate import Candidate, GateResult
from export.gates.judging import judge
from export.photo_references import PhotoReferences, make_references
from export.photos import Photos, read_photos
from export.probe import Probe, make_probe
from export.progress import Narrator
from export.publishing.models_folder import RECORD_FILE, publish, remember_refusal
from export.record import export_record
from export.saved_model import Contents, write_saved_model
from export.served_network import ServedNetwork, make_network
from export.session_run import run_session
from export.source_run import SourceRun, load_model

_LASTING = {AGREEMENT, PHOTOS, SAME_LABEL, ACCURACY}
"""What comes out the same when it is tried again; a crash may not."""


@dataclass(frozen=True, kw_only=True)
class Export:
    """What all forms of one export share."""

    run: SourceRun
    config: ExportConfig
    workspace: Path
    """An empty folder on the file system of the models."""

    narrator: Narrator


@dataclass(frozen=True, kw_only=True)
class Subject:
    """The trained model and what every form of it is compared with."""

    model: Any
    probe: Probe
    photos: Photos | None
    references: PhotoReferences | None
    why_no_photos: str


class _Refused(Exception):  # noqa: N818 says what happened
    """The gates keep a form back; the text says why."""

    def __init__(self, why: str, *, is_lasting: bool) -> None:
        """A lasting one comes out the same when it is tried again."""
        super().__init__(why)
        self.is_lasting = is_lasting


def export_forms(forms: list[Form], export: Export) -> tuple[list[str], dict[str, str]]:
    """Exports the forms one after another, fp32 first.

    Returns:
        The folders of the published versions, and by model why it is not published.

    Raises:
        ExportError: the network cannot be exported, or the gates refuse the fp32 form.
    """
    published: list[str] = []
    refused: dict[str, str] = {}
    subject = _read(export)
    for form in forms:
        try:
            published.append(str(_export(form, subject, export)))
        except _Refused as refusal:
            if form.precision == "fp32":
                raise ExportError(f"{form.model} is not published: {refusal}") from refusal
            if refusal.is_lasting:
                remember_refusal(form, export.run.digest, str(refusal))
            refused[form.model] = str(refusal)
        else:
            export.narrator.say(f"published {published[-1]}")
    return published, refused


def _read(export: Export) -> Subject:
    with export.narrator.doing(f"reading {export.run.folder} and asking its model eagerly"):
        model = load_model(export.run)
        probe = make_probe(model)
        probe.save(_probe_file(export))
    try:
        photos = read_photos(export.config, export.run.labels)
    except ExportError as error:
        export.narrator.say(f"no photos to compare forms on: {error}")
        return Subject(
            model=model, probe=probe, photos=None, references=None, why_no_photos=str(error)
        )
    count = len(photos.compared)
    with export.narrator.doing(f"asking the model eagerly about {count} validation photos"):
        references = make_references(model, photos.compared)
        references.save_paths(_photos_file(export))
    return Subject(model=model, probe=probe, photos=photos, references=references, why_no_photos="")


def _export(form: Form, subject: Subject, export: Export) -> Path:
    if form.precision != "fp32" and subject.photos is None:
        why = f"it must be compared on photos: {subject.why_no_photos}"
        raise _Refused(why, is_lasting=False)
    with export.narrator.doing(f"{form.model}: folding batch norm, weights in {form.precision}"):
        served = _network(form, subject, export)
        candidate = _write(served, form, subject, export)
    gates = _judge(candidate, subject, export)
    failed = [gate for gate in gates if not gate.passed]
    if failed:
        why = "; ".join(f"gate '{gate.name}': {gate.detail}" for gate in failed)
        raise _Refused(why, is_lasting={gate.name for gate in failed} <= _LASTING)
    record = export_record(candidate, export.run, gates, served.facts)
    text = json.dumps(record, indent=2) + "\n"
    (candidate.folder / RECORD_FILE).write_text(text, encoding="utf-8")
    return publish(candidate.folder, form, export.config.version)


def _network(form: Form, subject: Subject, export: Export) -> ServedNetwork:
    try:
        return make_network(subject.model, form, export.config, subject.photos)
    except ExportError as error:
        if form.precision != "int8":
            raise
        raise _Refused(str(error), is_lasting=True) from error


def _write(served: ServedNetwork, form: Form, subject: Subject, export: Export) -> Candidate:
    contents = Contents(
        labels=export.run.labels,
        image_size=subject.model.inputs[0].shape[1],
        warmup_signatures=export.config.warmup_signatures,
        warmup_batch_sizes=export.config.warmup_batch_sizes,
    )
    folder = export.workspace / form.model
    return Candidate(
        folder=folder,
        form=form,
        labels=contents.labels,
        image_size=contents.image_size,
        weights_bytes=served.weights.bytes,
        answers=write_saved_model(served, contents, folder),
    )


def _judge(candidate: Candidate, subject: Subject, export: Export) -> list[GateResult]:
    model = candidate.form.model
    photos_file = _photos_file(export) if subject.references else None
    with export.narrator.doing(f"{model}: the gates, in a session of another process"):
        run = run_session(candidate.folder, _probe_file(export), photos_file)
        gates = judge(candidate, run, subject.probe, subject.references)
    requests = export.config.fuzz_requests
    with export.narrator.doing(f"{model}: {requests} odd requests, in another process"):
        gates.append(crash_gate(candidate.folder, requests))
    export.narrator.show_gates(gates)
    return gates


def _probe_file(export: Export) -> Path:
    return export.workspace / "probe.npz"


def _photos_file(export: Export) -> Path:
    return export.workspace / "photos.json"
