"""GM401: a `tf.function` that is made, traced, called once and forgotten, again and again."""

import ast
from collections.abc import Iterator

from graphmode.lint.roots import Root, is_tf_function
from graphmode.lint.rule import Fault, File, Rule
from graphmode.lint.source import Function, Source, name_of

_LOOPS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
_RUN_ONCE = ("test", "main", "run", "setup", "benchmark", "demo", "learn", "fit")


def _remade(file: File) -> Iterator[Fault]:
    graphs = {function.node for function in file.functions}
    for function in file.functions:
        root = function.root
        if function.node is not root.function or root.how != "tf.function":
            continue
        around = file.source.function_around(_where_made(root))
        if around is not None and _is_traced_itself(file.source, around, graphs):
            continue
        problem = _remaking(file.source, root, around)
        if problem is not None:
            yield root.at, problem


def _is_traced_itself(source: Source, function: Function, graphs: set[Function]) -> bool:
    """Whether a function is part of a graph, or may be: then it makes nothing anew in a call."""
    scopes = [function, *source.containers(function)]
    callers = [
        source.function_around(node)
        for node in source.nodes
        if isinstance(node, ast.Call) and source.definition(node.func) is function
    ]
    # A decorator may trace, cache or register what it decorates.
    return any(
        scope in graphs or getattr(scope, "decorator_list", [])
        for scope in [*scopes, *(caller for caller in callers if caller is not None)]
        if isinstance(scope, (ast.FunctionDef, ast.Lambda))
    )


def _remaking(source: Source, root: Root, around: Function | None) -> str | None:
    if "experimental_implements" in root.keywords or _is_mode_chosen(source, root, around):
        return None
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


def _is_mode_chosen(source: Source, root: Root, around: Function | None) -> bool:
    """Whether it is made under a test of the mode: for a graph that is being traced already."""
    for container in source.containers(_where_made(root)):
        if container is around:
            return False
        if isinstance(container, ast.If) and "eager" in ast.unparse(container.test):
            return True
    return False


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
    # A call within another function may be one of many, after this scope has ended.
    is_all = len(plain) == len(uses) and all(source.function_around(c) is around for c in plain)
    return plain if is_all else []


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
    names.append(source.path.stem)
    return source.path.stem.endswith("_test") or any(n.startswith(_RUN_ONCE) for n in names)


RULES = (
    Rule(
        "GM401",
        "tf.function made anew for each call",
        "make it once, at module level, in __init__ or in a factory that returns it",
        _remade,
    ),
)
