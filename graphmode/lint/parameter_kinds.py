"""What the parameters of a graph function are, before any call of it is looked at.

A parameter of a `tf.function` is presumed to be a tensor until the code shows a Python value: by
its annotation, its default, its name, or by what is done with it.
"""

import ast
from collections.abc import Iterator

from graphmode.lint.kinds import Kind, result_of
from graphmode.lint.source import Function, Source, own_nodes, parameters
from graphmode.lint.words import words

_TENSOR_ATTRIBUTES = frozenset({"shape", "dtype", "numpy", "get_shape", "set_shape", "ndim"})
_PYTHON_NAMES = words(
    "self cls model network layer optimizer loss loss_object metric metrics training mask "
    "axis axes shape size dtype name seed config mode kind key keys args kwargs params rank "
    "ndims ndim perm depth strategy iterator dataset ds state tape callback writer flag "
    "reverse keepdims keep_dims eps epsilon event_ndims sample_shape validate_args"
)
_PYTHON_BEGINNINGS = ("num_", "n_", "use_", "is_", "has_", "should_", "with_", "return_", "do_")
_PYTHON_ENDINGS = ("_fn", "_size", "_shape", "_axis", "_name", "_type", "_ndims", "_func", "_dim")
# They take Python numbers, lists and shapes as readily as tensors.
_TAKES_ANYTHING = words(
    "constant convert_to_tensor cast range zeros ones fill linspace eye one_hot random shape "
    "size rank stack concat add_n identity where broadcast_to maximum minimum pow"
)


def presumed_kinds(source: Source, function: Function) -> dict[str, Kind]:
    """Kinds of a graph function's parameters by the function alone."""
    positional = [*function.args.posonlyargs, *function.args.args]
    if source.class_of(function) is not None:
        positional = positional[1:]
    defaults = len(function.args.defaults)
    required = positional[: len(positional) - defaults] if defaults else positional
    kinds = {argument.arg: Kind.OTHER for argument in parameters(function)}
    for argument in required:
        kinds[argument.arg] = _by_itself(source, argument)
    # Annotations are believed less than code: `inputs: tf.Tensor` is often a pair of tensors.
    for name in _used_as_python(source, function):
        if name in kinds:
            kinds[name] = Kind.OTHER
    for name in _given_to_operations(source, function):
        if kinds.get(name) is Kind.PRESUMED:
            kinds[name] = Kind.TENSOR
    return kinds


def is_tensor_annotation(source: Source, annotation: ast.AST) -> bool:
    """Whether an annotation says that a parameter is a tensor."""
    name = source.meaning(annotation) or ""
    return name.startswith("tensorflow.") and name.rpartition(".")[2] in ("Tensor", "Variable")


def _by_itself(source: Source, argument: ast.arg) -> Kind:
    if argument.annotation is not None:
        is_tensor = is_tensor_annotation(source, argument.annotation)
        return Kind.TENSOR if is_tensor else Kind.OTHER
    name = argument.arg
    is_python = (
        name in _PYTHON_NAMES
        or name.startswith(("_", *_PYTHON_BEGINNINGS))
        or name.endswith(_PYTHON_ENDINGS)
    )
    return Kind.OTHER if is_python else Kind.PRESUMED


def _given_to_operations(source: Source, function: Function) -> Iterator[str]:
    for node in own_nodes(function):
        match node:
            case ast.Call(func=called, args=[ast.Name(id=name), *_]):
                meaning = source.meaning(called) or ""
                takes_tensor = meaning.rpartition(".")[2] not in _TAKES_ANYTHING
                if takes_tensor and result_of(meaning) is Kind.TENSOR:
                    yield name


def _used_as_python(source: Source, function: Function) -> Iterator[str]:
    for node in own_nodes(function):
        for used in _python_uses(node):
            if isinstance(used, ast.Name):
                yield used.id
        match node:
            case ast.Call(func=called, args=arguments) if source.is_builtin(
                called, "isinstance", "len", "range", "zip", "enumerate", "hasattr", "getattr",
                "callable", "tuple", "list", "dict", "set", "sorted", "next", "iter", "map",
            ):  # fmt: skip
                yield from (given.id for given in arguments if isinstance(given, ast.Name))


def _python_uses(node: ast.AST) -> list[ast.AST]:
    """The expressions that a node can only take, or most likely takes, as a Python value."""
    match node:
        case ast.Compare():
            return _compared_with_python(node)
        case ast.BoolOp(values=values):
            return list(values)
        case ast.UnaryOp(op=ast.Not(), operand=used) | ast.Call(func=used):
            return [used]
        case ast.If(test=used) | ast.IfExp(test=used) | ast.Assert(test=used):
            return [used]
    return _taken_apart(node)


def _taken_apart(node: ast.AST) -> list[ast.AST]:
    match node:
        case ast.Attribute(value=used, attr=attribute) if attribute not in _TENSOR_ATTRIBUTES:
            return [used]
        case ast.For(iter=used) | ast.comprehension(iter=used) | ast.Starred(value=used):
            return [used]
        case (
            ast.keyword(arg=None, value=used)
            | ast.Subscript(value=used, slice=ast.Constant(value=str()))
            | ast.Assign(targets=[ast.Tuple()], value=used)
        ):
            return [used]
    return []


def _compared_with_python(node: ast.Compare) -> list[ast.AST]:
    operands: list[ast.AST] = [node.left, *node.comparators]
    is_static = any(
        isinstance(operation, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for operation in node.ops
    ) or any(
        isinstance(operand, ast.Constant) and isinstance(operand.value, (str, bool, type(None)))
        for operand in operands
    )
    return operands if is_static else []
