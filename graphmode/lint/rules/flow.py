"""GM201 to GM207: control flow and containers that a graph cannot follow."""

import ast
from collections.abc import Iterator

from graphmode.lint.containers import makes_container
from graphmode.lint.control_flow import tensor_flow, tensor_flow_around
from graphmode.lint.graph_functions import GraphFunction
from graphmode.lint.kinds import Kind
from graphmode.lint.rule import Fault, Rule, in_functions
from graphmode.lint.source import own_nodes
from graphmode.lint.words import words

_GROWS = words(
    "append extend insert pop remove clear reverse sort update setdefault popitem add discard"
)
_TAKES_APART = (
    "zip",
    "enumerate",
    "map",
    "any",
    "all",
    "sum",
    "min",
    "max",
    "list",
    "tuple",
    "set",
)


def _changed_containers(function: GraphFunction) -> Iterator[Fault]:
    if not function.root.is_converted:
        return  # The control flow itself fails: GM207.
    for node in function.nodes:
        name = _changed_name(node)
        if name is None:
            continue
        around = list(tensor_flow_around(function, node))
        if around and not _is_made_in(function, name, around[0]):
            word = "if" if isinstance(around[0], ast.If) else "loop"
            where = f"the tensor {word} of line {around[0].lineno}"
            yield node, f"Python changes `{name}` once, while tracing, whatever {where} does"


def _changed_name(node: ast.AST) -> str | None:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attribute)):
            return name if attribute in _GROWS else None
        case ast.Delete(targets=[ast.Subscript(value=ast.Name(id=name)), *_]):
            return name
        case ast.AugAssign(target=ast.Name(id=name), value=ast.List()):
            return name
    return None


def _is_made_in(function: GraphFunction, name: str, around: ast.AST) -> bool:
    """Whether a name is none of a Python container made before the tensor control flow."""
    inside = set(ast.walk(around))
    for scope in [function.node, *function.source.containers(function.node)]:
        made = [node for node in own_nodes(scope) if makes_container(function.source, node, name)]
        if made:
            return any(node in inside for node in made)
    return True


def _comprehensions(function: GraphFunction) -> Iterator[Fault]:
    for node in function.nodes:
        for generator in getattr(node, "generators", []):
            if function.kind(generator.iter) is Kind.TENSOR:
                yield (
                    node,
                    "a comprehension iterates over a tensor, which AutoGraph leaves as it is",
                )


def _builtins(function: GraphFunction) -> Iterator[Fault]:
    for call in function.reading.calls:
        if not function.source.is_builtin(call.func, *_TAKES_APART, "bool"):
            continue
        name = ast.unparse(call.func)
        if any(function.kind(argument) is Kind.TENSOR for argument in call.args):
            yield call, f"{name} needs a Python value, and is given a tensor"


def _unpackings(function: GraphFunction) -> Iterator[Fault]:
    for node in function.nodes:
        match node:
            case (
                ast.Assign(targets=[ast.Tuple() | ast.List()], value=value)
                | ast.Starred(value=value, ctx=ast.Load())
            ) if function.kind(value) is Kind.TENSOR:
                yield node, "a tensor is unpacked, which AutoGraph leaves as it is"


def _asserts(function: GraphFunction) -> Iterator[Fault]:
    if "experimental_autograph_options" in function.root.keywords:
        return  # Feature.ASSERT_STATEMENTS makes operations of them.
    for node in function.nodes:
        if isinstance(node, ast.Assert) and function.kind(node.test) is Kind.TENSOR:
            yield node, "assert needs a Python bool, and is given a tensor"


def _raises(function: GraphFunction) -> Iterator[Fault]:
    if not function.root.is_converted:
        return
    for node in function.nodes:
        if isinstance(node, ast.Raise):
            around = next(tensor_flow_around(function, node), None)
            if isinstance(around, ast.If):
                yield (
                    node,
                    f"raises while tracing, whatever the tensor `if` of line {around.lineno} says",
                )


def _unconverted(function: GraphFunction) -> Iterator[Fault]:
    if function.root.is_converted:
        return
    reason = "Keras 3" if function.root.how == "Keras" else "autograph=False"
    for node in tensor_flow(function):
        word = type(node).__name__.lower()
        yield node, f"a tensor decides this `{word}`, which {reason} leaves to Python"


RULES = (
    Rule(
        "GM201",
        "a list, dict or set changed under tensor control flow",
        "collect with tf.TensorArray, or with operations on a tensor (tf.concat, tf.where)",
        in_functions(_changed_containers),
    ),
    Rule(
        "GM202",
        "a comprehension over a tensor",
        "write it as an operation on the whole tensor, tf.map_fn, or over tf.unstack",
        in_functions(_comprehensions),
    ),
    Rule(
        "GM203",
        "a Python builtin that takes a tensor apart",
        "use the operation: tf.reduce_sum, tf.reduce_any, tf.maximum, tf.stack; tf.range to count",
        in_functions(_builtins),
    ),
    Rule(
        "GM204",
        "a tensor unpacked",
        "unpack tf.unstack(tensor), whose length is known while tracing",
        in_functions(_unpackings),
    ),
    Rule(
        "GM205",
        "assert on a tensor",
        "use tf.debugging.assert_* (not under jit_compile=True, see GM501)",
        in_functions(_asserts),
    ),
    Rule(
        "GM206",
        "raise under a tensor if",
        "use tf.debugging.assert_*, or check in the caller",
        in_functions(_raises),
    ),
    Rule(
        "GM207",
        "tensor control flow that AutoGraph does not convert",
        "decorate the method with @tf.function, or use keras.ops.cond, tf.cond or tf.where",
        in_functions(_unconverted),
    ),
)
