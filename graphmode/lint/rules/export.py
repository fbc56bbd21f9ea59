"""GM501 to GM504: what XLA drops, what a timing does not measure, what a server cannot load."""

import ast
from collections.abc import Iterator

from graphmode.lint.graph_functions import GraphFunction
from graphmode.lint.roots import is_keras_class
from graphmode.lint.rule import Fault, File, Rule, calls_of, in_functions
from graphmode.lint.source import Source, name_of, own_nodes

_MODEL_MAKERS = frozenset(
    {"keras.Sequential", "keras.Model", "keras.models.load_model", "keras.saving.load_model"}
    | {"keras.models.Sequential", "keras.models.Model", "keras.models.clone_model"}
)


def _dropped_checks(function: GraphFunction) -> Iterator[Fault]:
    if not function.root.is_compiled:
        return
    for call, name in calls_of(function):
        space, _, leaf = name.rpartition(".")
        if space == "tensorflow.debugging" and leaf.startswith(("assert", "Assert", "check_")):
            yield call, f"jit_compile=True drops {leaf} without a word"


def _refused_prints(function: GraphFunction) -> Iterator[Fault]:
    if not function.root.is_compiled:
        return
    for call, name in calls_of(function):
        if name == "tensorflow.print":
            yield call, "XLA cannot compile tf.print: the call fails"


def _timings(function: GraphFunction) -> Iterator[Fault]:
    stamps = [call for call, name in calls_of(function) if name == "tensorflow.timestamp"]
    ordered = any(name == "tensorflow.control_dependencies" for _, name in calls_of(function))
    if len(stamps) > 1 and not ordered:
        yield stamps[1], "nothing orders these timestamps around the work: they measure nothing"


def _saved_models(file: File) -> Iterator[Fault]:
    for node in file.source.nodes:
        if not (isinstance(node, ast.Call) and node.args):
            continue
        name = file.source.meaning(node.func)
        if name == "tensorflow.saved_model.save" and _is_model(file.source, node.args[0]):
            yield (
                node,
                "Python reloads this SavedModel, a server's session does not find its variables",
            )


def _is_model(source: Source, node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        name = source.meaning(node.func) or ""
        return (
            name in _MODEL_MAKERS or name.startswith("keras.applications.") or _is_own(source, node)
        )
    if not isinstance(node, ast.Name):
        return False
    scope: ast.AST = source.function_around(node) or source.tree
    values = [
        statement.value
        for statement in own_nodes(scope)
        if isinstance(statement, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id == node.id for t in statement.targets)
    ]
    return len(values) == 1 and isinstance(values[0], ast.Call) and _is_model(source, values[0])


def _is_own(source: Source, call: ast.Call) -> bool:
    """Whether a call makes a Keras model of the file's own, called in Keras' way."""
    return isinstance(call.func, ast.Name) and any(
        isinstance(statement, ast.ClassDef)
        and statement.name == call.func.id
        and is_keras_class(source, statement)
        and not any(name_of(method) == "__call__" for method in statement.body)
        for statement in source.tree.body
    )


RULES = (
    Rule(
        "GM501",
        "tf.debugging under jit_compile=True",
        "check outside the compiled function, or return the condition and check it in the caller",
        in_functions(_dropped_checks),
    ),
    Rule(
        "GM502",
        "tf.print under jit_compile=True",
        "print outside the compiled function, or return the value",
        in_functions(_refused_prints),
    ),
    Rule(
        "GM503",
        "a pair of tf.timestamp in a graph function",
        "time in the caller and wait for the output (.numpy())",
        in_functions(_timings),
    ),
    Rule(
        "GM504",
        "tf.saved_model.save of a Keras model",
        "write it with keras.export.ExportArchive, or model.export",
        _saved_models,
    ),
)
