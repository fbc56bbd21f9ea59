"""Gates on the graph and its files: what it is made of, what was fused, what it weighs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tensorflow.core.protobuf import saved_model_pb2

from export.allowed_ops import ALLOWED_OPS
from export.gates.gate import Candidate, GateResult
from export.processor import Processor
from export.session_run import SessionRun

LARGEST_SIZE_RATIO = 1.1
_GRAPH_BYTES = 1_000_000  # the graph, labels and warm-up requests; 0.6 MB for a ResNet-18


def graph_gates(candidate: Candidate, run: SessionRun) -> list[GateResult]:
    """The verdicts."""
    return [_known_ops(candidate.folder), _fused(candidate, run), _one_copy(candidate)]


def folder_bytes(folder: Path) -> int:
    """Bytes of all files below `folder`."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _known_ops(folder: Path) -> GateResult:
    saved = saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    nodes = list(_nodes(saved.meta_graphs[0].graph_def))
    unknown = sorted({node.op for node in nodes} - ALLOWED_OPS)
    compiled = [node.name for node in nodes if "_XlaMustCompile" in node.attr]
    detail = f"all {len(nodes)} nodes are of ops that export/allowed_ops.py names"
    if unknown:
        detail = (
            f"{', '.join(unknown)}: not among the ops of export/allowed_ops.py; Python's "
            "(PyFunc) run in no server, others only where it was built with them: find what "
            "brought them in, or add them there"
        )
    elif compiled:
        detail = (
            f"node {compiled[0]} must be compiled by XLA, which TensorFlow Serving refuses "
            "without its flag: take jit_compile=True off"
        )
    return GateResult(name="known ops", passed=not unknown and not compiled, detail=detail)


def _nodes(graph: Any) -> Iterator[Any]:  # noqa: ANN401
    yield from graph.node
    for function in graph.library.function:
        yield from function.node_def


def _fused(candidate: Candidate, run: SessionRun) -> GateResult:
    """An unfused convolution reads and writes its result once more for bias and ReLU each."""
    name = "fused convolutions"
    convolutions = run.convolutions
    count = sum(convolutions.values())
    fused = sum(n for op, n in convolutions.items() if "Fused" in op)
    if candidate.form.precision == "bf16" and not Processor().has_bf16:
        return GateResult(
            name=name,
            passed=True,
            detail=f"not asked: this CPU does not multiply bfloat16 ({fused} of {count} are fused)",
        )
    passed = count > 0 and fused == count
    detail = f"expected every convolution fused in the graph that runs, got {fused} of {count}"
    if not passed:
        detail += (
            f" ({convolutions}); bias_add and relu must follow the convolution and nothing else "
            "may read what is between them"
        )
    return GateResult(
        name=name, passed=passed, detail=detail, figure=fused / count if count else None
    )


def _one_copy(candidate: Candidate) -> GateResult:
    most = int(LARGEST_SIZE_RATIO * candidate.weights_bytes) + _GRAPH_BYTES
    came = folder_bytes(candidate.folder)
    detail = f"expected at most {most} bytes on disk, got {came}"
    if came > most:
        detail += "; what is saved tracks the weights twice: the module must hold them alone"
    return GateResult(
        name="one copy of the weights",
        passed=came <= most,
        detail=detail,
        figure=came / candidate.weights_bytes,
    )
