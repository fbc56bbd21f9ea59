"""docs/claims.md: each claim, its verdict, what happens, and the right way."""

from collections import Counter
from collections.abc import Sequence

from graphmode.claims.claim import Verdict
from graphmode.claims.trial import Trial
from graphmode.machine import Machine

_MEANINGS = {
    Verdict.HOLDS: "true",
    Verdict.WRONG: "not true",
    Verdict.OUTDATED: "was true of an earlier TensorFlow",
    Verdict.PART: "true under a condition that the claim leaves out",
    Verdict.UNTESTED: "cannot be decided on this machine",
}


def page_of(trials: Sequence[Trial], machine: Machine) -> str:
    """Write the page, markdown."""
    parts = [
        _opening(trials, machine),
        _verdicts(trials),
        "## The claims at a glance",
        _glance(trials),
        "## One by one",
        *(_entry(trial) for trial in trials),
    ]
    return "\n\n".join(parts) + "\n"


def _opening(trials: Sequence[Trial], machine: Machine) -> str:
    flags = ", ".join(machine.flags) or "none of the usual flags"
    return (
        f"# {len(trials)} claims about graph mode, tried on TensorFlow {machine.tensorflow}\n\n"
        "An article on moving TensorFlow code from eager to graph makes them; the numbers of "
        "sections are the article's. Each claim is an experiment in `graphmode/claims/`, whose "
        "verdict comes from what happens. `make claims` tries them all and writes this page; a "
        "test fails when a verdict changes.\n\n"
        f"TensorFlow {machine.tensorflow}, Keras {machine.keras}, Python {machine.python}; "
        f"{machine.processor}, {machine.cores} cores ({flags}), {machine.gpus} GPUs; "
        f"{machine.date}, commit {machine.commit}. Times are of one run on a machine that may "
        "have been busy: only their ratios say something."
    )


def _verdicts(trials: Sequence[Trial]) -> str:
    counts = Counter(trial.finding.verdict for trial in trials)
    rows = [f"| {verdict} | {_MEANINGS[verdict]} | {counts[verdict]} |" for verdict in Verdict]
    return "\n".join(["| Verdict | Meaning | Claims |", "|---|---|---|", *rows])


def _glance(trials: Sequence[Trial]) -> str:
    rows = [
        f"| [{trial.claim.number}](#claim-{trial.claim.number}) | {trial.claim.section} "
        f"| {_cell(trial.claim.text)} | {trial.finding.verdict} |"
        for trial in trials
    ]
    return "\n".join(["| Claim | Section | What is said | Verdict |", "|---|---|---|---|", *rows])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _entry(trial: Trial) -> str:
    claim = trial.claim
    how = " (by timing)" if claim.needs_timing else ""
    lines = [
        f"### Claim {claim.number}",
        f"> {' '.join(claim.text.split())} (section {claim.section})",
        f"**{trial.finding.verdict}{how}.** {trial.finding.happens}",
    ]
    if not trial.is_as_expected:
        lines.append(f"**Changed**: {claim.expected} was expected.")
    right_way = claim.right_way.strip()
    # A fence must begin a line.
    gap = "\n\n" if right_way.startswith("```") else " "
    lines.append(f"**The right way.**{gap}{right_way}")
    if claim.aside:
        lines.append(claim.aside.strip())
    return "\n\n".join(lines)
