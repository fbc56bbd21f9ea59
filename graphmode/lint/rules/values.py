"""GM301 to GM303: a tensor of the graph taken for a value that Python can look at."""

import ast
from collections.abc import Iterator

from graphmode.lint.graph_functions import GraphFunction
from graphmode.lint.kinds import Kind, is_tensor
from graphmode.lint.rule import Fault, Rule, calls_of, in_functions
from graphmode.lint.words import words

# Asked of the static shape or dtype, they answer while tracing.
_STATIC = words("shape ndim size result_type broadcast_shapes dtype iinfo finfo issubdtype prod")


def _numpy_calls(function: GraphFunction) -> Iterator[Fault]:
    for call, name in calls_of(function):
        space, _, leaf = name.rpartition(".")
        if space not in ("numpy", "numpy.linalg", "numpy.fft") or leaf in _STATIC:
            continue
        if any(function.kind(argument) is Kind.TENSOR for argument in call.args[:2]) or (
            call.args and function.kind(call.args[0]) is Kind.PRESUMED
        ):
            yield call, f"{name} needs the value of a tensor that has none while tracing"


def _numpy_methods(function: GraphFunction) -> Iterator[Fault]:
    for call in function.reading.calls:
        match call:
            case ast.Call(func=ast.Attribute(value=receiver, attr="numpy"), args=[], keywords=[]):
                if is_tensor(function.kind(receiver)):
                    yield call, ".numpy() of a tensor that has no value while tracing"


def _texts(function: GraphFunction) -> Iterator[Fault]:
    for node in function.nodes:
        if isinstance(node, ast.JoinedStr) and not _is_for_people_at_trace(function, node):
            for part in node.values:
                match part:
                    case ast.FormattedValue(value=value) if function.kind(value) is Kind.TENSOR:
                        yield node, 'the text holds Tensor("...") instead of the value'
                        break


def _is_for_people_at_trace(function: GraphFunction, node: ast.AST) -> bool:
    """Whether a text is an error's, an assertion's or a print's, which GM101 speaks of."""
    for container in function.source.containers(node):
        if isinstance(container, (ast.Raise, ast.Assert)):
            return True
        if isinstance(container, ast.Call) and function.source.is_builtin(container.func, "print"):
            return True
        if isinstance(container, ast.stmt):
            return False
    return False


RULES = (
    Rule(
        "GM301",
        "a NumPy function on a tensor",
        "use the operation of tf, tf.math or tf.experimental.numpy",
        in_functions(_numpy_calls),
    ),
    Rule(
        "GM302",
        ".numpy() in a graph function",
        "return the tensor and call .numpy() on what the caller gets",
        in_functions(_numpy_methods),
    ),
    Rule(
        "GM303",
        "a tensor in an f-string",
        "give tf.print the tensor as its own argument, or use tf.strings.format",
        in_functions(_texts),
    ),
)
