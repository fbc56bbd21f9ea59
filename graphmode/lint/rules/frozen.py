"""GM101 to GM104: Python that runs once, while tracing, and whose result every call then gets."""

import ast
from collections.abc import Iterator

from graphmode.lint.graph_functions import GraphFunction
from graphmode.lint.rule import Fault, Rule, calls_of, in_functions
from graphmode.lint.source import Source, own_nodes
from graphmode.lint.words import words

_CLOCKS = frozenset(
    {
        *(f"time.{name}" for name in ("time", "perf_counter", "monotonic", "process_time")),
        *(f"time.{name}_ns" for name in ("time", "perf_counter", "monotonic", "process_time")),
        *(f"datetime.datetime.{name}" for name in ("now", "utcnow", "today")),
        "datetime.date.today",
    }
)
_PYTHON_RANDOM = words(
    "random uniform randint randrange choice choices sample shuffle gauss normalvariate"
)
_TRACE_WORDS = ("trac", "retrac")


def _prints(function: GraphFunction) -> Iterator[Fault]:
    for call in function.reading.calls:
        if function.source.is_builtin(call.func, "print") and not _announces_trace(call):
            yield call, "print runs while tracing only: later calls print nothing"


def _announces_trace(call: ast.Call) -> bool:
    """Whether a print says of itself that it marks a trace."""
    texts = [
        node.value.lower()
        for node in ast.walk(call)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return any(word in text for word in _TRACE_WORDS for text in texts)


def _draws(function: GraphFunction) -> Iterator[Fault]:
    for call, name in calls_of(function):
        space, _, leaf = name.rpartition(".")
        is_python = space == "random" and leaf in _PYTHON_RANDOM
        if is_python or (space == "numpy.random" and leaf[:1].islower()):
            yield call, f"{name} draws once, while tracing: every call gets the same number"


def _clocks(function: GraphFunction) -> Iterator[Fault]:
    for call, name in calls_of(function):
        if name in _CLOCKS:
            yield call, f"{name} is read once, while tracing: every call gets the same time"


def _nexts(function: GraphFunction) -> Iterator[Fault]:
    for call in function.reading.calls:
        is_next = function.source.is_builtin(call.func, "next") and call.args
        if is_next and _is_python_iterator(function.source, call.args[0]):
            yield (
                call,
                "next advances once, while tracing: every call gets the same element",
            )


def _is_python_iterator(source: Source, node: ast.AST) -> bool:
    match node:
        case ast.GeneratorExp():
            return True
        case ast.Call(func=called, args=arguments):
            return _makes_iterator(source, called, arguments)
        case ast.Name(id=name):
            values = _values_of(source, name, node)
            return len(values) == 1 and _is_python_iterator(source, values[0])
    return False


def _makes_iterator(source: Source, called: ast.AST, arguments: list[ast.expr]) -> bool:
    if (source.meaning(called) or "").startswith("itertools."):
        return True
    if source.is_builtin(called, "iter") and arguments:
        return _is_python_collection(source, arguments[0])
    function = source.definition(called)
    return function is not None and any(
        isinstance(node, (ast.Yield, ast.YieldFrom)) for node in own_nodes(function)
    )


def _is_python_collection(source: Source, node: ast.AST) -> bool:
    is_display = isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp))
    return is_display or (isinstance(node, ast.Call) and source.is_builtin(node.func, "range"))


def _values_of(source: Source, name: str, at: ast.AST) -> list[ast.AST]:
    """What the innermost scope that assigns a name assigns to it; nothing for other bindings."""
    for scope in source.containers(at):
        if isinstance(scope, (ast.FunctionDef, ast.Module)):
            bindings = [
                source.parents[node]
                for node in own_nodes(scope)
                if isinstance(node, ast.Name)
                and node.id == name
                and isinstance(node.ctx, ast.Store)
            ]
            if bindings:
                plain = [node.value for node in bindings if isinstance(node, ast.Assign)]
                return list(plain) if len(plain) == len(bindings) else []
    return []


RULES = (
    Rule(
        "GM101",
        "print in a graph function",
        "use tf.print, which becomes an operation of the graph",
        in_functions(_prints),
    ),
    Rule(
        "GM102",
        "Python or NumPy random numbers in a graph function",
        "draw with tf.random (stateless_* to repeat a run), or pass the number as a tensor",
        in_functions(_draws),
    ),
    Rule(
        "GM103",
        "a clock read in a graph function",
        "read the clock in the caller, after waiting for the output",
        in_functions(_clocks),
    ),
    Rule(
        "GM104",
        "next on a Python iterator in a graph function",
        "take the element in the caller and pass it as an argument, or iterate a tf.data dataset",
        in_functions(_nexts),
    ),
)
