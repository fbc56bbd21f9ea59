"""GM401 to GM403: what makes TensorFlow trace again and again, or repeat a random number."""

import ast
from collections.abc import Iterator

from graphmode.lint.graph_functions import GraphFunction
from graphmode.lint.roots import Root, is_tf_function
from graphmode.lint.rule import Fault, File, Rule, calls_of, in_functions
from graphmode.lint.source import Function, Source, name_of

_LOOPS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
_RUN_ONCE = ("test", "main", "run", "setup", "benchmark", "demo", "_test", "_main")


def _remade(file: File) -> Iterator[Fault]:
    graphs = {function.node for function in file.functions}
    for function in file.functions:
        root = function.root
        if function.node is not root.function or root.how != "tf.function":
            continue
        around = file.source.function_around(_where_made(root))
        if around in graphs:
            continue
        problem = _remaking(file.source, root, around)
        if problem is not None:
            yield root.at, problem


def _remaking(source: Source, root: Root, around: Function | None) -> str | None:
    call = _direct_call(source, root)
    uses = [call] if call is not None else _only_calls(source, root, around)
    if not uses:
        return None
    loop = _loop_around(source, _where_made(root), around)
    if loop is not None:
        is_inside = all(_loop_around(source, use, around) is loop for use in uses)
        return "made anew in each turn of the loop, and traced anew" if is_inside else None
    is_called_often = any(_loop_around(source, use, around) for use in uses)
    if around is None or is_called_often or _runs_once(source, around):
        return None
    return f"made anew in each call of `{name_of(around)}`, and traced anew"


def _where_made(root: Root) -> ast.AST:
    """The call of `tf.function`, or the definition that it decorates."""
    is_decorator = root.at in getattr(root.function, "decorator_list", [])
    return root.function if is_decorator else root.at


def _direct_call(source: Source, root: Root) -> ast.Call | None:
    """The call in `tf.function(f)(x)`."""
    parent = source.parents.get(root.at)
    return parent if isinstance(parent, ast.Call) and parent.func is root.at else None


def _only_calls(source: Source, root: Root, around: Function | None) -> list[ast.Call]:
    """Calls of the function by its name, if nothing else in the scope uses that name."""
    name = _name_given(source, root)
    if name is None or source.class_of(root.function) is not None:
        return []
    scope = around or source.tree
    uses = [
        node
        for node in ast.walk(scope)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    ]
    calls = [source.parents[use] for use in uses]
    plain = [c for u, c in zip(uses, calls, strict=True) if isinstance(c, ast.Call) and c.func is u]
    return plain if len(plain) == len(uses) else []


def _name_given(source: Source, root: Root) -> str | None:
    if isinstance(root.at, ast.Call) and is_tf_function(source, root.at.func):
        match source.parents.get(root.at):
            case ast.Assign(targets=[ast.Name(id=name)]):
                return name
    return name_of(root.function) if _where_made(root) is root.function else None


def _loop_around(source: Source, node: ast.AST, until: ast.AST | None) -> ast.AST | None:
    for container in source.containers(node):
        if container is until:
            return None
        if isinstance(container, _LOOPS):
            return container
    return None


def _runs_once(source: Source, function: Function) -> bool:
    """Whether a function is of the kind that a program calls once: main, tests, benchmarks."""
    scopes = [function, *source.containers(function)]
    names = [name_of(scope).lower() for scope in scopes if isinstance(scope, ast.FunctionDef)]
    return any(name.startswith(_RUN_ONCE) for name in names)


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
            if counter is not None and isinstance(argument, ast.Name) and argument.id == counter:
                yield (
                    argument,
                    f"Python number `{counter}` as an argument: one trace for each value",
                )


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
        "GM401",
        "tf.function made anew for each call",
        "make it once, at module level, in __init__ or in a factory that returns it",
        _remade,
    ),
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
