"""Checks that look at the graph alone."""

from collections.abc import Iterable, Mapping
from typing import Any

from export.fuzz.open_graph import served_signatures
from export.preflight.finding import Finding, fails, ok, warning
from export.preflight.reach import Reach, all_nodes

PYTHON_OPS = frozenset({"PyFunc", "PyFuncStateless", "EagerPyFunc", "NumpyFunction"})
SIGNATURES, REGISTERED_OPS = "signatures", "registered ops"
PYTHON, XLA = "python ops", "xla"
_MUST_COMPILE = "_XlaMustCompile"
_DEFAULT = "serving_default"


def check_signatures(meta_graph: Any) -> Finding:  # noqa: ANN401
    """Whether there is something to call."""
    signatures = served_signatures(meta_graph)
    if not signatures:
        return fails(
            SIGNATURES,
            "There is no signature, so the model loads and every request fails.",
            "Save it with signatures=..., or by model.export or ExportArchive.add_endpoint.",
        )
    nameless = [
        f"{name}.{alias}"
        for name, signature in signatures.items()
        for alias, info in (*signature.inputs.items(), *signature.outputs.items())
        if not info.name
    ]
    if nameless:
        return fails(
            SIGNATURES,
            f"{', '.join(nameless)}: a sparse or composite tensor, which no request carries.",
            "Give the parts of it, each a plain tensor, an input or output of their own.",
        )
    if _DEFAULT not in signatures:
        return warning(
            SIGNATURES,
            f"There is {_listed(signatures)}, but no {_DEFAULT}: a request must name one.",
            f"Name one of them {_DEFAULT}.",
        )
    return ok(SIGNATURES, f"There is {_listed(signatures)}.")


def check_registered_ops(meta_graph: Any) -> Finding:  # noqa: ANN401
    """Whether this TensorFlow knows every op of the graph, reached or not."""
    # TensorFlow's public interface has no look into its registry.
    from tensorflow.python.framework import op_def_registry  # noqa: PLC0415

    graph_def = meta_graph.graph_def
    functions = {function.signature.name for function in graph_def.library.function}
    ops = {node.op for node in all_nodes(graph_def)} - functions
    unknown = sorted(op for op in ops if op_def_registry.get(op) is None)
    if unknown:
        return fails(
            REGISTERED_OPS,
            f"This TensorFlow does not know {_listed(unknown)}, and a graph with it does not load.",
            "Use a server that is built with these ops (the official TensorFlow Serving has those "
            "of tensorflow_text and tensorflow_decision_forests), or save without them.",
        )
    return ok(REGISTERED_OPS, f"All {len(ops)} kinds of ops are TensorFlow's own.")


def check_python_ops(meta_graph: Any, reaches: Mapping[str, Reach]) -> Finding:  # noqa: ANN401
    """Whether a signature calls back into a Python that a server does not have."""
    calling = python_callers(reaches)
    if calling:
        return fails(
            PYTHON,
            f"{_listed(calling)} calls Python (tf.py_function or tf.numpy_function), "
            "which a server does not have.",
            "Write that function with TensorFlow ops, or let the client do its work.",
        )
    if PYTHON_OPS & {node.op for node in all_nodes(meta_graph.graph_def)}:
        return warning(
            PYTHON,
            "A function that no signature reaches calls Python.",
            "Save a module that holds only what is served.",
        )
    return ok(PYTHON, "Nothing calls Python.")


def python_callers(reaches: Mapping[str, Reach]) -> list[str]:
    """The signatures that reach a Python op."""
    return sorted(name for name, reach in reaches.items() if PYTHON_OPS & reach.ops())


def check_xla(reaches: Mapping[str, Reach]) -> Finding:
    """Whether a signature must be compiled by XLA, which no session run in Python shows."""
    compiled = sorted(name for name, reach in reaches.items() if _must_compile(reach))
    if compiled:
        return fails(
            XLA,
            f"{_listed(compiled)} reaches a function of jit_compile=True: TensorFlow Serving "
            "answers 500, XLA compilation disabled.",
            "Save it without jit_compile (on a CPU it is seldom faster), or start the server with "
            "--xla_cpu_compilation_enabled.",
        )
    return ok(XLA, "No function must be compiled by XLA.")


def _must_compile(reach: Reach) -> bool:
    return any(
        _MUST_COMPILE in each.attr and each.attr[_MUST_COMPILE].b
        for each in (*reach.functions, *reach.nodes)
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
