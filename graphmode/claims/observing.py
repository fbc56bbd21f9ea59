"""What can be seen of a call, its error and the operations of its graph, and words for it."""

import re
from collections import Counter
from collections.abc import Callable
from textwrap import shorten
from typing import Any

from tensorflow.core.framework.graph_pb2 import GraphDef
from tensorflow.python.eager import context
from tensorflow.python.framework import op_callbacks

_LINE_CHARACTERS = 160


def error_of(call: Callable[[], object]) -> Exception | None:
    """Call, and give the error that came; None where none did."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 -- whatever comes is what is being looked at
        return error
    return None


def brief(error: Exception | None) -> str:
    """Name an error and what it says, in one line without backticks; "no error" for None."""
    if error is None:
        return "no error"
    name, text = type(error).__name__, str(error).strip()
    # AutoGraph tells first where the error was: the user's frames, then "    ValueError: ...".
    told = re.findall(rf"^ *{name}: *(\S.*)$", text, re.MULTILINE)
    first = told[-1] if told else text.partition("\n")[0].strip()
    return shorten(f"{name}: {first}", _LINE_CHARACTERS, placeholder=" ...").replace("`", "'")


def count_of(count: int, noun: str) -> str:
    """Say a count: "1 trace", "2 traces"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def operations(graph: GraphDef) -> Counter[str]:
    """Count the types of the operations in a graph and in the functions of its library."""
    nodes = [*graph.node, *(node for each in graph.library.function for node in each.node_def)]
    return Counter(node.op for node in nodes)


def eager_operations(call: Callable[[], Any]) -> Counter[str]:
    """Count the types of the operations that a call runs eagerly, one by one."""
    counts: Counter[str] = Counter()

    def count(op_type: str, *_: object, graph: object = None, **__: object) -> None:
        if graph is None:
            counts[op_type] += 1

    op_callbacks.add_op_callback(count)
    try:
        call()
    finally:
        op_callbacks.remove_op_callback(count)
    return counts


def optimised_operations(call: Callable[[], Any]) -> Counter[str]:
    """Count the types of the operations that run in a call of a `tf.function`, after grappler.

    Args:
        call: calls a function that has not run before, and does nothing else: grappler works at a
            trace's first run, and an operation that runs eagerly for the first time is a graph too.

    Raises:
        ValueError: no graph was optimised in the call.
    """
    # Not enable_run_metadata: disabling that one leaves the collection of graphs on.
    context.enable_graph_collection()
    try:
        call()
        ran = context.export_run_metadata()
    finally:
        context.disable_graph_collection()
    if not ran.function_graphs:
        raise ValueError("no graph was optimised: call a tf.function that has not run before")
    counts: Counter[str] = Counter()
    for graphs in ran.function_graphs:
        for graph in graphs.partition_graphs:
            counts += operations(graph)
    return counts
