"""The checks in their order; those that need what an earlier one missed are not applicable.

version folder --> graph file --> serve tag --> graph checks --> session, in a child process
                                                                   |
                    batching, models config <-- warm-up, REST <----+--> crash fuzz, in another
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from export.errors import ExportError
from export.fuzz.open_graph import SERVE, served_signatures
from export.guard.saved_model_file import read_saved_model
from export.preflight import (
    batching_checks,
    graph_checks,
    models_config,
    rest_checks,
    session_checks,
    stored_tensors,
    versions,
    warmup_checks,
)
from export.preflight.config import CheckConfig
from export.preflight.finding import Finding, fails, not_applicable, ok
from export.preflight.reach import signature_reaches
from export.preflight.report import Report, listed
from export.preflight.trial import run_trial
from export.progress import Narrator

GRAPH_FILE, TAG = "graph file", "serve tag"
CHECKS = (
    versions.NAME,
    GRAPH_FILE,
    TAG,
    graph_checks.SIGNATURES,
    graph_checks.REGISTERED_OPS,
    graph_checks.PYTHON,
    graph_checks.XLA,
    stored_tensors.FILES,
    stored_tensors.ONCE,
    session_checks.SESSION,
    session_checks.FUZZ,
    warmup_checks.NAME,
    rest_checks.NAME,
    batching_checks.FILE,
    batching_checks.SHAPES,
    models_config.NAME,
)
_NEEDED = (
    versions.NAME,
    GRAPH_FILE,
    TAG,
    graph_checks.SIGNATURES,
    graph_checks.REGISTERED_OPS,
    stored_tensors.FILES,
)
"""Where one of these fails, the model is not run."""


def check(config: CheckConfig, narrator: Narrator) -> Report:
    """Says what would fail in TensorFlow Serving, and why.

    Raises:
        ExportError: a folder or file that is named does not exist.
    """
    version, located = versions.locate(config.saved_model)
    asked = models_config.check_models_config(config.config, config.saved_model, version)
    findings = [located, asked]
    meta_graph = None
    if version is not None:
        meta_graph, read = _read(version)
        findings += read
    if version is not None and meta_graph is not None:
        findings += _model_findings(version, meta_graph, config, narrator)
    return Report(
        saved_model=str(version or config.saved_model),
        signatures=listed(served_signatures(meta_graph)) if meta_graph is not None else {},
        findings=tuple(_in_order(findings)),
    )


def _in_order(findings: list[Finding]) -> Iterator[Finding]:
    by_name = {finding.name: finding for finding in findings}
    failed = [name for name in _NEEDED if name in by_name and by_name[name].verdict == "FAILS"]
    for name in CHECKS:
        yield by_name.get(name) or not_applicable(name, f"Not checked, as {failed[0]} fails.")


def _read(version: Path) -> tuple[Any, list[Finding]]:
    """The MetaGraph that a server loads, None where there is none; and what was found."""
    try:
        meta_graphs = read_saved_model(version).saved_model.meta_graphs
    except ExportError as error:
        meta_graphs, why = [], str(error)
    else:
        why = f"The graph file in {version} is empty or cut: it holds no MetaGraph"
    if not meta_graphs:
        return None, [fails(GRAPH_FILE, f"{why}.", "Copy or save the whole version again.")]
    readable = ok(GRAPH_FILE, f"It holds {len(meta_graphs)} MetaGraph(s).")
    tags = [sorted(meta_graph.meta_info_def.tags) for meta_graph in meta_graphs]
    if [SERVE] not in tags:
        names = " and ".join(",".join(each) or "none" for each in tags)
        return None, [
            readable,
            fails(
                TAG,
                f"Its tags are {names}; servers load the MetaGraph whose one tag is {SERVE}.",
                f"Save it with the tag {SERVE}, or start the server with --saved_model_tags.",
            ),
        ]
    return meta_graphs[tags.index([SERVE])], [readable, ok(TAG, "A MetaGraph has the tag serve.")]


def _model_findings(
    version: Path,
    meta_graph: Any,  # noqa: ANN401
    config: CheckConfig,
    narrator: Narrator,
) -> Iterator[Finding]:
    reaches = signature_reaches(meta_graph)
    with narrator.doing("reading the graph and its variables"):
        files, stored = stored_tensors.check_files(version, meta_graph)
        graph = [
            graph_checks.check_signatures(meta_graph),
            graph_checks.check_registered_ops(meta_graph),
            files,
        ]
    yield from graph
    yield graph_checks.check_python_ops(meta_graph, reaches)
    yield graph_checks.check_xla(reaches)
    yield stored_tensors.check_stored_once(stored, reaches)
    if any(finding.verdict == "FAILS" for finding in graph):  # those in _NEEDED
        return
    signatures = served_signatures(meta_graph)
    left_out = graph_checks.python_callers(reaches)
    with narrator.doing("asking every signature in a session"):
        trial = run_trial(version, left_out)
    yield session_checks.check_session(trial, left_out)
    with narrator.doing("sending it what nobody should send"):
        yield session_checks.check_fuzz(version, trial, config.fuzz_requests)
    yield warmup_checks.check_warmup(version, signatures, trial)
    yield rest_checks.check_aliases(signatures, reaches, trial)
    yield from batching_checks.check_batching(config.batching, signatures, trial)
