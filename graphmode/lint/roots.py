"""Where graphs begin in a file: `tf.function`, `Dataset.map`, Keras methods."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from graphmode.lint.kinds import Kind, result_of
from graphmode.lint.parameter_kinds import presumed_kinds
from graphmode.lint.source import Function, Source, bound_names, own_nodes, parameters
from graphmode.lint.words import words

_KERAS_METHODS = ("call", "train_step", "test_step", "predict_step")
_KERAS_BASES = ("Layer", "Model", "Sequential", "Functional")
_DATASET_CALLS = ("map", "interleave", "flat_map", "filter")
_DATASETS_ONLY = ("batch", "padded_batch", "prefetch")
_DATASET_MAKERS = words(
    "batch padded_batch shuffle prefetch take skip repeat cache interleave enumerate "
    "with_options shard"
)


@dataclass(frozen=True, eq=False)
class Root:
    """A function that becomes a graph of its own.

    Attributes:
        function: its definition.
        how: by tf.function, mapped over a dataset, or by Keras.
        at: the decorator or call that makes it a graph.
        keywords: the keyword arguments given to `tf.function`.
        parameters: what its parameters are.
    """

    function: Function
    how: Literal["tf.function", "Dataset.map", "Keras"]
    at: ast.AST
    keywords: dict[str, ast.expr] = field(default_factory=dict)
    parameters: dict[str, Kind] = field(default_factory=dict)

    @property
    def is_compiled(self) -> bool:
        """Whether XLA compiles it for certain."""
        return _is_constant(self.keywords.get("jit_compile"), value=True)

    @property
    def is_converted(self) -> bool:
        """Whether AutoGraph converts its control flow."""
        is_off = _is_constant(self.keywords.get("autograph"), value=False)
        return self.how != "Keras" and not is_off


def find_roots(source: Source) -> list[Root]:
    """Every function of the file that becomes a graph of its own, once."""
    found: dict[Function, Root] = {}
    for root in [*_decorated(source), *_wrapped(source), *_mapped(source), *_keras(source)]:
        found.setdefault(root.function, root)
    return list(found.values())


def is_tf_function(source: Source, node: ast.AST) -> bool:
    """Whether an expression is `tf.function` itself, by any name."""
    return source.meaning(node) in ("tensorflow.function", "tensorflow.experimental.function")


def tf_function_keywords(source: Source, node: ast.AST) -> dict[str, ast.expr] | None:
    """Keywords of a decorator that makes a `tf.function`; None for any other decorator."""
    if is_tf_function(source, node):
        return {}
    if not isinstance(node, ast.Call):
        return None
    is_partial = source.meaning(node.func) == "functools.partial" and len(node.args) == 1
    if is_tf_function(source, node.args[0] if is_partial else node.func):
        return {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    return None


def signature_of(source: Source, node: ast.AST | None) -> list[ast.expr] | None:
    """The specs of an `input_signature` that the file writes out; None where it does not."""
    if isinstance(node, ast.Name) and node.id in bound_names(source.tree):
        values = [
            statement.value
            for statement in source.tree.body
            if isinstance(statement, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id == node.id for t in statement.targets)
        ]
        node = values[0] if len(values) == 1 else None
    if isinstance(node, (ast.List, ast.Tuple)):
        has_stars = any(isinstance(element, ast.Starred) for element in node.elts)
        return None if has_stars else node.elts
    return None


def positional_parameters(source: Source, function: Function) -> list[ast.arg]:
    """Positional parameters without a method's first."""
    positional = [*function.args.posonlyargs, *function.args.args]
    return positional[1:] if source.class_of(function) is not None else positional


def _decorated(source: Source) -> Iterator[Root]:
    for node in source.nodes:
        for decorator in getattr(node, "decorator_list", []):
            keywords = tf_function_keywords(source, decorator)
            if keywords is not None and isinstance(node, ast.FunctionDef):
                yield _tf_function(source, node, decorator, keywords)


def _wrapped(source: Source) -> Iterator[Root]:
    for node in source.nodes:
        if isinstance(node, ast.Call) and node.args and is_tf_function(source, node.func):
            keywords = tf_function_keywords(source, node) or {}
            for given in _given_functions(source, node.args[0]):
                yield _tf_function(source, given, node, keywords)


def _given_functions(source: Source, given: ast.AST) -> Iterator[Function]:
    """The functions of the file that an argument of `tf.function` may be."""
    function = source.definition(given)
    if function is not None:
        yield function
    around = source.function_around(given)
    if around is None or not isinstance(given, ast.Name):
        return
    names = [argument.arg for argument in [*around.args.posonlyargs, *around.args.args]]
    if given.id not in names:
        return
    # `def in_graph(step): return tf.function(step)`: look at who calls it, and with what.
    place = names.index(given.id)
    for call in source.nodes:
        if isinstance(call, ast.Call) and source.definition(call.func) is around:
            passed = source.definition(call.args[place]) if place < len(call.args) else None
            if passed is not None:
                yield passed


def _tf_function(
    source: Source, function: Function, at: ast.AST, keywords: dict[str, ast.expr]
) -> Root:
    kinds = presumed_kinds(source, function)
    given = keywords.get("input_signature")
    specs = signature_of(source, given)
    for argument, spec in zip(positional_parameters(source, function), specs or [], strict=False):
        is_spec = isinstance(spec, ast.Call) and (source.meaning(spec.func) or "").endswith("Spec")
        kinds[argument.arg] = Kind.TENSOR if is_spec else Kind.OTHER
    return Root(function, "tf.function", at, keywords, kinds)


def _mapped(source: Source) -> Iterator[Root]:
    for node in source.nodes:
        match node:
            case ast.Call(func=ast.Attribute(attr=attribute), args=[given, *_]) if (
                attribute in _DATASET_CALLS and _is_dataset_call(source, node)
            ):
                function = source.definition(given)
                if function is not None:
                    yield Root(function, "Dataset.map", node, {}, _elements(source, function))


def _is_dataset_call(source: Source, call: ast.Call) -> bool:
    is_parallel = any(keyword.arg == "num_parallel_calls" for keyword in call.keywords) or any(
        (source.meaning(argument) or "").endswith(".AUTOTUNE") for argument in call.args
    )
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else call
    return is_parallel or _is_dataset(source, receiver)


def _elements(source: Source, function: Function) -> dict[str, Kind]:
    # What a dataset passes is a tensor, or a structure that the body takes apart.
    return {
        name: Kind.TENSOR if kind is Kind.PRESUMED else kind
        for name, kind in presumed_kinds(source, function).items()
    }


def _is_dataset(source: Source, node: ast.AST, seen: frozenset[str] = frozenset()) -> bool:
    """Whether an expression is a tf.data dataset, by how it was made or by its name.

    Args:
        source: the file.
        node: the expression.
        seen: names already being followed: they may be assigned from each other.
    """
    match node:
        case ast.Call(func=called) if result_of(source.meaning(called) or "") is Kind.DATASET:
            return True
        case ast.Call(func=ast.Attribute(value=receiver, attr=attribute)):
            if attribute in _DATASETS_ONLY and _imports_tensorflow(source):
                return True
            keeps = attribute in _DATASET_MAKERS or attribute in _DATASET_CALLS
            return keeps and _is_dataset(source, receiver, seen)
        case ast.Attribute(attr=name):
            return _imports_tensorflow(source) and _is_named_dataset(name)
        case ast.Name(id=name) if name not in seen and _imports_tensorflow(source):
            return _is_named_dataset(name) or any(
                _is_dataset(source, value, seen | {name}) for value in _assigned(source, node)
            )
    return False


def _is_named_dataset(name: str) -> bool:
    return name == "ds" or name.endswith(("dataset", "_ds"))


def _assigned(source: Source, name: ast.Name) -> Iterator[ast.AST]:
    scope: ast.AST = source.function_around(name) or source.tree
    for node in own_nodes(scope):
        match node:
            case ast.Assign(targets=[ast.Name(id=assigned)], value=ast.Call() as value):
                if assigned == name.id:
                    yield value


def _imports_tensorflow(source: Source) -> bool:
    return any(meaning.split(".")[0] == "tensorflow" for meaning in source.meanings.values())


def _keras(source: Source) -> Iterator[Root]:
    for node in source.nodes:
        if isinstance(node, ast.ClassDef) and is_keras_class(source, node) and not _is_eager(node):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and _is_keras_method(method):
                    names = [argument.arg for argument in parameters(method)]
                    kinds = presumed_kinds(source, method)
                    # Only the inputs: what else Keras passes depends on the layer.
                    given = {n: kinds[n] if n in names[1:2] else Kind.OTHER for n in names}
                    yield Root(method, "Keras", method, {}, given)


def _is_eager(node: ast.ClassDef) -> bool:
    """Whether a class sees to it that Keras runs it eagerly: compile(run_eagerly=True)."""
    return any(
        isinstance(inner, ast.keyword)
        and inner.arg in ("run_eagerly", "dynamic")
        and _is_constant(inner.value, value=True)
        for inner in ast.walk(node)
    )


def _is_keras_method(method: ast.FunctionDef) -> bool:
    return method.name in _KERAS_METHODS and not method.decorator_list


def is_keras_class(source: Source, node: ast.ClassDef) -> bool:
    """Whether a class is a Keras 3 layer or model, as far as the file shows."""
    for base in node.bases:
        name = source.meaning(base) or ""
        leaf = name.rpartition(".")[2]
        if name.startswith("keras.") and (leaf in _KERAS_BASES or ".layers." in name):
            return True
        if isinstance(base, ast.Name) and base.id != node.name:
            for other in source.tree.body:
                if isinstance(other, ast.ClassDef) and other.name == base.id:
                    return is_keras_class(source, other)
    return False


def _is_constant(node: ast.AST | None, *, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value
