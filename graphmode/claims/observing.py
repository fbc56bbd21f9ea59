"""What can be seen of a call: its error, and the operations of its graph."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from tensorflow.core.framework.graph_pb2 import GraphDef
from tensorflow.python.eager import context


def error_of(call: Callable[[], object]) -> Exception | None:
    """Call, and give the error that came; None where none did."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 -- whatever comes is what is being looked at
        return error
    return None


def brief(error: Exception | None) -> str:
    """Name an error and the first line of what it says that is not empty; "no error" for None."""
    if error is None:
        return "no error"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def operations(graph: GraphDef) -> Counter[str]:
    """Count the types of the operations in a graph and in the functions of its library."""
    nodes = [*graph.node, *(node for each in graph.library.function for node in each.node_def)]
    return Counter(node.op for node in nodes)


def optimised_operations(call: Callable[[], Any]) -> Counter[str]:
    """Count the types of the operations that run in a call of a `tf.function`, after grappler.

    Raises:
        ValueError: no graph ran in the call.
    """
    context.enable_run_metadata()
    try:
        call()
        ran = context.export_run_metadata()
    finally:
        context.disable_run_metadata()
    if not ran.function_graphs:
        raise ValueError("no graph ran in the call: call a tf.function in it")
    counts: Counter[str] = Counter()
    for graphs in ran.function_graphs:
        for graph in graphs.partition_graphs:
            counts += operations(graph)
    return counts
