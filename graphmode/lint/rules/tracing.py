"""GM402 and GM403: arguments that make new traces, seeds that repeat numbers."""

import ast
from collections.abc import Iterator

from graphmode.lint.graph_functions import GraphFunction
from graphmode.lint.rule import Fault, File, Rule, calls_of, in_functions
from graphmode.lint.source import Source, name_of


def _python_numbers(file: File) -> Iterator[Fault]:
    steps = {
        name_of(f.node): f.root
        for f in file.functions
        if f.node is f.root.function and f.root.how == "tf.function"
    }
    graphs = {function.node for function in file.functions}
    for node in file.source.nodes:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        root = steps.get(node.func.id)
        if root is None or "input_signature" in root.keywords:
            continue
        is_it = file.source.definition(node.func) is root.function
        if is_it and file.source.function_around(node) not in graphs:
            yield from _counters_given(file.source, node)


def _counters_given(source: Source, call: ast.Call) -> Iterator[Fault]:
    for loop in source.containers(call):
        if isinstance(loop, (ast.FunctionDef, ast.Lambda)):
            return
        counter = _counter_of(source, loop)
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
            if counter is not None and _counts(source, argument, counter):
                number = ast.unparse(argument)
                yield argument, f"Python number `{number}` as an argument: a trace for each value"


def _counts(source: Source, node: ast.AST, counter: str) -> bool:
    """Whether an expression is a Python number made of the counter and constants alone."""
    match node:
        case ast.Name(id=name):
            return name == counter
        case ast.BinOp(left=left, right=right):
            sides = [side for side in (left, right) if not isinstance(side, ast.Constant)]
            return bool(sides) and all(_counts(source, side, counter) for side in sides)
        case ast.Call(func=called, args=[argument]):
            is_number = source.is_builtin(called, "int", "float")
            return is_number and _counts(source, argument, counter)
    return False


def _counter_of(source: Source, loop: ast.AST) -> str | None:
    """The name that holds a Python number, another one in each turn of a loop."""
    match loop:
        case ast.For(target=ast.Name(id=name), iter=ast.Call(func=called)):
            return name if source.is_builtin(called, "range") else None
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(id=name), _]), iter=ast.Call(func=called, args=[_, *_])
        ):
            return name if source.is_builtin(called, "enumerate") else None
        case ast.For(target=ast.Name(id=name), iter=ast.List(elts=values) | ast.Tuple(elts=values)):
            return name if len(values) > 1 and all(map(_is_number, values)) else None
    return None


def _is_number(node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _repeated_seeds(function: GraphFunction) -> Iterator[Fault]:
    seen: dict[str, ast.Call] = {}
    for call, name in calls_of(function):
        is_stateful = name.startswith("tensorflow.random.") and ".stateless_" not in name
        if not is_stateful or name.rpartition(".")[2] in ("set_seed", "Generator"):
            continue
        for keyword in call.keywords:
            if keyword.arg == "seed" and _is_number(keyword.value):
                seed = ast.unparse(keyword.value)
                first = seen.setdefault(seed, call)
                if (first.lineno, first.col_offset) != (call.lineno, call.col_offset):
                    where = f"seed={seed} again (line {first.lineno})"
                    yield call, f"{where}: in a graph, unlike eager mode, both draw the same"


RULES = (
    Rule(
        "GM402",
        "a Python number that varies, as an argument of a tf.function",
        "pass tf.constant(number), give an input_signature, or iterate tf.range",
        _python_numbers,
    ),
    Rule(
        "GM403",
        "two random operations with the same seed",
        "give each operation its own seed, or use tf.random.stateless_*",
        in_functions(_repeated_seeds),
    ),
)
