"""The graph that really runs: asked of TensorFlow's runtime while it runs once.

`concrete.graph` is what tracing recorded. Grappler rewrites it when it is first run, and only the
run's metadata shows the result: that of the eager runtime, which is private API of TensorFlow
2.21, or that of a session.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import graph_pb2
from tensorflow.core.protobuf import config_pb2

from graphmode.errors import GraphmodeError


def run_and_read_graph(run: Callable[[], Any]) -> tuple[Any, Exception | None]:
    """Run a function that has never run before, and read the graph that it became.

    Args:
        run: calls one concrete function. The runtime tells a function's graph only once, when
            it first runs it with this on, so the function must be a new one.

    Returns:
        The GraphDef, and the error that the run itself ended with, if it did: the graph is
        optimised before anything is computed.

    Raises:
        GraphmodeError: TensorFlow tells no graph.
    """
    context = _context()
    _read(context, lambda: None)  # what earlier failed runs have left behind
    metadata, failure = _read(context, run)
    graphs = [part for traced in metadata.function_graphs for part in traced.partition_graphs]
    if not graphs:
        raise GraphmodeError(f"TensorFlow {tf.__version__} tells no optimised graph: {failure}")
    return merged(graphs), failure


def merged(graphs: list[Any]) -> Any:  # noqa: ANN401
    """Put the parts of a graph that run on several devices into one GraphDef again."""
    whole = graph_pb2.GraphDef()
    known: set[str] = set()
    for graph in graphs:
        whole.node.extend(graph.node)
        new = [function for function in graph.library.function if _is_new(function, known)]
        whole.library.function.extend(new)
    if graphs:
        whole.versions.CopyFrom(graphs[0].versions)
    return whole


def what_happened(error: Any) -> str:  # noqa: ANN401
    """One line of an OpError: it stands behind the quoted stack, before the names of nodes."""
    lines = [line.strip() for line in error.message.splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith(("[[", "("))]
    return (said or lines or [""])[-1]


def _read(context: Any, run: Callable[[], Any]) -> tuple[Any, Exception | None]:  # noqa: ANN401
    failure: Exception | None = None
    context.enable_run_metadata()
    try:
        try:
            run()
        except tf.errors.OpError as error:
            failure = error
        # A run that fails leaves its graph behind, and the next one that works hands it over.
        tf.identity(tf.constant(0.0))
        exported = context.export_run_metadata()
    finally:
        context.disable_run_metadata()
    return config_pb2.RunMetadata.FromString(exported.SerializeToString()), failure


def _context() -> Any:  # noqa: ANN401
    try:
        context = import_module("tensorflow.python.eager.context")
        for name in ("enable_run_metadata", "export_run_metadata", "disable_run_metadata"):
            getattr(context, name)
    except (ImportError, AttributeError) as error:
        raise GraphmodeError(
            f"graph reads the optimised graph through a part of TensorFlow 2.21 that "
            f"{tf.__version__} does not have ({error})"
        ) from error
    return context


def _is_new(function: Any, known: set[str]) -> bool:  # noqa: ANN401
    name = function.signature.name
    is_new = name not in known
    known.add(name)
    return is_new
