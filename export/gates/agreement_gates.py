"""Gates on how far a form is from the eager Keras model: on drawn images and on real photos."""

from collections.abc import Iterator

import numpy as np

from export.gates.gate import Candidate, GateResult
from export.gates.session_gates import asked, step_name
from export.photo_references import PhotoReferences
from export.probe import Probe
from export.session_run import SessionRun

AGREEMENT = "agreement"
PHOTOS = "photos"
ACCURACY = "accuracy"
SAME_LABEL = "same label"

MOST_ACCURACY_CHANGE = {"fp32": 0.001, "bf16": 0.003, "int8": 0.007}
"""Share of photos. One photo may always change: a small sample says no less."""

LEAST_SAME_LABEL = 0.99


def agreement_gates(
    candidate: Candidate, run: SessionRun, probe: Probe, references: PhotoReferences | None
) -> list[GateResult]:
    """The verdicts; without references, those on photos are left out."""
    found = [_agreement(run, probe, candidate.form.tolerance)]
    return found if references is None else [*found, *_on_photos(candidate, run, references)]


def _agreement(run: SessionRun, probe: Probe, tolerance: float) -> GateResult:
    differences = dict(_differences(run, probe))
    if not differences:
        return GateResult(
            name=AGREEMENT, passed=False, detail="no signature answered, nothing to compare"
        )
    worst = max(differences, key=lambda name: np.nan_to_num(differences[name], nan=np.inf))
    difference = differences[worst]
    passed = bool(difference <= tolerance)
    detail = (
        f"expected at most {tolerance:g} from the eager Keras model in probability, "
        f"got {difference:.2e} ({worst})"
    )
    if not passed:
        detail += "; look for a layer that the folding reads wrongly, or weights that changed"
    return GateResult(name=AGREEMENT, passed=passed, detail=detail, figure=difference)


def _differences(run: SessionRun, probe: Probe) -> Iterator[tuple[str, float]]:
    for signature, rows in asked(run):
        name = step_name(signature, rows)
        step = run.steps.get(name)
        if step is None or step.answer is None:
            continue
        came = np.asarray(step.answer.get("probabilities", step.answer.get("scores")), np.float32)
        expected = probe.reference(signature)[:rows]
        is_comparable = came.shape == expected.shape
        yield name, float(np.abs(came - expected).max()) if is_comparable else float("nan")


def _on_photos(
    candidate: Candidate, run: SessionRun, references: PhotoReferences
) -> list[GateResult]:
    count = len(references.labels)
    answers = [step.answer for name, step in run.steps.items() if name.startswith("photos ")]
    rows = [row for answer in answers if answer for row in answer["probabilities"]]
    if len(rows) != count:
        detail = f"expected answers to {count} photos, got {len(rows)}; see the gate 'session'"
        return [
            GateResult(name=name, passed=False, detail=detail)
            for name in (PHOTOS, SAME_LABEL, ACCURACY)
        ]
    came = np.asarray(rows, np.float32)
    cure = "; publish another precision, or raise the tolerance knowing what it costs"
    return [
        _largest_difference(candidate, came, references, cure),
        _same_label(came, references, cure),
        _accuracy(candidate, came, references, cure),
    ]


def _largest_difference(
    candidate: Candidate, came: np.ndarray, references: PhotoReferences, cure: str
) -> GateResult:
    difference = float(np.abs(came - references.probabilities).max())
    # Photos reach probabilities, steeper than drawn images, where fp32 rounds more.
    tolerance = max(candidate.form.tolerance, 1e-4)
    passed = difference <= tolerance
    detail = (
        f"expected at most {tolerance:g} from eager Keras in probability on "
        f"{len(came)} validation photos, got {difference:.2e}"
    )
    return GateResult(
        name=PHOTOS, passed=passed, detail=detail + ("" if passed else cure), figure=difference
    )


def _same_label(came: np.ndarray, references: PhotoReferences, cure: str) -> GateResult:
    agree = came.argmax(axis=1) == references.probabilities.argmax(axis=1)
    share = float(agree.mean())
    passed = share >= LEAST_SAME_LABEL or int((~agree).sum()) <= 1
    detail = f"expected the label of eager Keras on {LEAST_SAME_LABEL:.0%}, got {share:.2%}"
    return GateResult(
        name=SAME_LABEL, passed=passed, detail=detail + ("" if passed else cure), figure=share
    )


def _accuracy(
    candidate: Candidate, came: np.ndarray, references: PhotoReferences, cure: str
) -> GateResult:
    labels = references.labels
    before = int((references.probabilities.argmax(axis=1) == labels).sum())
    after = int((came.argmax(axis=1) == labels).sum())
    most = max(1, int(MOST_ACCURACY_CHANGE[candidate.form.precision] * len(labels)))
    passed = abs(after - before) <= most
    detail = (
        f"expected {before} of {len(labels)} photos right, as eager Keras, or {most} more or "
        f"less, got {after}"
    )
    return GateResult(
        name=ACCURACY,
        passed=passed,
        detail=detail + ("" if passed else cure),
        figure=after / len(labels),
    )
