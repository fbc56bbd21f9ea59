"""The result in numbers: one entry a target, ratios with intervals, and the headline.

summary.schema.json describes the file that is written from these classes.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from loadtest import validity
from loadtest.answers import TOLERANCE, Answer, disagreement
from loadtest.cores import Cores
from loadtest.estimates import (
    Ratio,
    mean_latency_ms,
    memory_mb,
    percentile_ms,
    ratios,
    throughput_rps,
)
from loadtest.run import Run
from loadtest.scenario import Scenario
from loadtest.targets import BASELINE


@dataclass(frozen=True)
class Memory:
    """PSS of the server's processes in megabytes (1e6 bytes): median under load, and largest."""

    steady: float
    peak: float


@dataclass(frozen=True, kw_only=True)
class TargetSummary:
    """A target's figures over all its restarts. Latencies and n are those of answered requests."""

    name: str
    server: str
    execution: str
    precision: str
    protocol: str
    payload: str
    users: int
    n: int
    errors: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    throughput_rps: float
    memory_pss_mb: Memory
    cold_start_s: float
    valid: bool
    reasons: list[str]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two targets; ratios are candidate over baseline and count only where valid."""

    baseline: str
    candidate: str
    ratios: dict[str, Ratio]
    valid: bool
    reasons: list[str]


@dataclass(frozen=True, kw_only=True)
class Headline(Comparison):
    """The comparison that the report opens with, and the load it was made under."""

    load: dict[str, object]


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Everything that summary.json holds; headline is None where only one target ran."""

    headline: Headline | None
    targets: list[TargetSummary]
    comparisons: list[Comparison]
    manifest: dict[str, Any]


def summarize(
    runs: Sequence[Run],
    candidate: str | None,
    scenario: Scenario,
    cores: Cores,
    manifest: dict[str, Any],
) -> Summary:
    """Draws the figures together.

    Args:
        runs: All runs of a comparison.
        candidate: The target that the headline compares with the baseline.
        scenario: The load.
        cores: Who ran where.
        manifest: What it ran on, passed through.
    """
    by_target: dict[str, list[Run]] = {}
    for run in sorted(runs, key=lambda run: run.repeat):
        by_target.setdefault(run.target.name, []).append(run)
    reference = by_target[BASELINE][0].answers if BASELINE in by_target else None
    targets = [_summarize_target(own, reference, scenario, cores) for own in by_target.values()]
    baseline = BASELINE if BASELINE in by_target else targets[0].name
    comparisons = [
        _compare(by_target, targets, baseline, target.name, scenario.seed)
        for target in targets
        if target.name != baseline
    ]
    headlines = [
        _headline(made, by_target[made.candidate], scenario)
        for made in comparisons
        if made.candidate == candidate
    ]
    return Summary(
        headline=headlines[0] if headlines else None,
        targets=targets,
        comparisons=comparisons,
        manifest=manifest,
    )


def write_summary(path: Path, summary: Summary) -> None:
    """Writes summary.json."""
    path.write_text(json.dumps(asdict(summary), indent=2) + "\n")


def _summarize_target(
    runs: list[Run], reference: list[Answer] | None, scenario: Scenario, cores: Cores
) -> TargetSummary:
    target = runs[0].target
    figures = [run.figures for run in runs]
    reasons = _reasons(runs, reference, scenario, cores)
    return TargetSummary(
        name=target.name,
        server=target.server,
        execution=target.execution,
        precision=target.precision,
        protocol=target.protocol,
        payload=target.payload,
        users=scenario.users,
        n=sum(len(figure.latency_ms) for figure in figures),
        errors=sum(run.errors for run in runs),
        p50_ms=percentile_ms(figures, 50),
        p95_ms=percentile_ms(figures, 95),
        p99_ms=percentile_ms(figures, 99),
        throughput_rps=throughput_rps(figures),
        memory_pss_mb=Memory(memory_mb(figures), max(run.peak_memory_mb for run in runs)),
        cold_start_s=median(run.cold_start_s for run in runs),
        valid=not reasons,
        reasons=reasons,
    )


def _reasons(
    runs: list[Run], reference: list[Answer] | None, scenario: Scenario, cores: Cores
) -> list[str]:
    """Why a target's figures do not count; empty where they do."""
    figures = [run.figures for run in runs]
    n = sum(len(figure.latency_ms) for figure in figures)
    found = [
        validity.no_errors(sum(run.errors for run in runs), n),
        _disagreement(runs, reference),
        validity.enough_requests(n),
        validity.littles_law(scenario.users, throughput_rps(figures), mean_latency_ms(figures)),
        validity.steady_state(validity.thirds_of([run.window for run in runs])),
        validity.generator_has_room([run.generator_share for run in runs]),
        validity.connections_as_meant(scenario.users, [run.connections for run in runs]),
        validity.cores_apart(cores.server, cores.generator),
    ]
    return [reason for reason in found if reason]


def _disagreement(runs: list[Run], reference: list[Answer] | None) -> str | None:
    if reference is None:
        return f"answers not compared: {BASELINE} did not run"
    tolerance = TOLERANCE[runs[0].target.precision]
    found = (disagreement(reference, run.answers, tolerance) for run in runs)
    return next((sentence for sentence in found if sentence), None)


def _compare(
    by_target: dict[str, list[Run]],
    targets: list[TargetSummary],
    baseline: str,
    candidate: str,
    seed: int,
) -> Comparison:
    pair = [target for target in targets if target.name in (baseline, candidate)]
    reasons = [f"{target.name}: {reason}" for target in pair for reason in target.reasons]
    return Comparison(
        baseline=baseline,
        candidate=candidate,
        ratios=ratios(
            [run.figures for run in by_target[candidate]],
            [run.figures for run in by_target[baseline]],
            seed,
        ),
        valid=not reasons,
        reasons=reasons,
    )


def _headline(comparison: Comparison, runs: list[Run], scenario: Scenario) -> Headline:
    target = runs[0].target
    load: dict[str, object] = {
        "loop": "closed",
        "users": scenario.users,
        "think_time_s": 0,
        "protocol": target.protocol,
        "payload": target.payload,
        "repeats": scenario.repeats,
        "warmup_s": scenario.warmup_s,
    }
    return Headline(**vars(comparison), load=load)
