"""GM105 to GM108: Python state that a trace reads or changes once, and variables made in it."""

import ast
from collections.abc import Iterator

from graphmode.lint.containers import makes_container
from graphmode.lint.control_flow import tensor_flow_around
from graphmode.lint.graph_functions import GraphFunction
from graphmode.lint.kinds import Kind
from graphmode.lint.rule import Fault, File, Rule, calls_of, in_functions
from graphmode.lint.source import Function, bound_names, name_of, own_nodes, parameters

_NUMBER = (int, float)


def _stale_globals(file: File) -> Iterator[Fault]:
    changed = dict(_changed_globals(file))
    for function in file.functions:
        for node in function.nodes:
            if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
                continue
            writer = changed.get(node.id)
            is_own = node.id in _all_local_names(function)
            if writer is not None and not is_own and writer is not function.node:
                cause = f"`{name_of(writer)}` changes it without effect on later calls"
                yield node, f"global `{node.id}` is read once, while tracing; {cause}"


def _changed_globals(file: File) -> Iterator[tuple[str, Function]]:
    """Module-level Python values that some function assigns anew, and that function."""
    values = _module_values(file.source.tree)
    graphs = {function.node for function in file.functions}
    for node in file.source.nodes:
        if isinstance(node, ast.Global):
            writer = file.source.function_around(node)
            if writer is not None and writer not in graphs and not _is_lazy(writer, node.names):
                yield from ((name, writer) for name in node.names if name in values)


def _module_values(tree: ast.Module) -> set[str]:
    """Names that the module sets to a number, text or the like, which a trace would freeze."""
    found = set()
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=value)) | (
                ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=value))
            ) if value is not None:
                found.add(name)
    return found


def _is_lazy(writer: Function, names: list[str]) -> bool:
    """Whether the writer only fills in what is not there yet: nobody has read the old value."""
    return any(
        isinstance(node, ast.If)
        and {n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)} & {*names}
        for node in own_nodes(writer)
    )


def _all_local_names(function: GraphFunction) -> set[str]:
    scopes = [function.node, *function.source.containers(function.node)]
    functions = [s for s in scopes if isinstance(s, (ast.FunctionDef, ast.Lambda))]
    return {name for scope in functions for name in bound_names(scope)}


def _state_writes(function: GraphFunction) -> Iterator[Fault]:
    outer = {
        name
        for node in own_nodes(function.node)
        if isinstance(node, (ast.Global, ast.Nonlocal))
        for name in node.names
    }
    for node in function.nodes:
        match node:
            case ast.AugAssign(target=ast.Name(id=name)) if name in outer:
                yield node, f"`{name}` outside the function changes while tracing only"
            case ast.AugAssign(
                target=ast.Attribute(value=ast.Name(id="self"), attr=attribute),
                value=ast.Constant(),
            ) if _is_number_attribute(function, attribute):
                yield node, f"`self.{attribute}` changes while tracing only"


def _is_number_attribute(function: GraphFunction, attribute: str) -> bool:
    owner = function.source.class_of(function.node)
    for node in ast.walk(owner) if owner is not None else ():
        match node:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)],
                value=ast.Constant(value=value),
            ) if name == attribute and isinstance(value, _NUMBER):
                return True
    return False


def _variables(function: GraphFunction) -> Iterator[Fault]:
    if function.root.how == "Keras":
        return
    for call, name in calls_of(function):
        if name == "tensorflow.Variable" and not _is_guarded(function, call):
            yield call, "a variable made in the body: the first call already fails (ValueError)"


def _is_guarded(function: GraphFunction, call: ast.Call) -> bool:
    """Whether a Python condition may keep it to the first call, or other code owns it."""
    given = {argument.arg for argument in parameters(function.node)}
    for container in function.source.containers(call):
        if container is function.node:
            break
        if isinstance(container, (ast.If, ast.IfExp, ast.Try)):
            return True
    return "next_creator" in given


def _kept_tensors(file: File) -> Iterator[Fault]:
    graphs = {function.node for function in file.functions}
    for function in file.functions:
        for call in function.reading.calls:
            match call:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="append" | "insert" | "add"),
                    args=[*_, value],
                ) if function.kind(value) is Kind.TENSOR and not any(
                    tensor_flow_around(function, call)  # GM201
                ):
                    maker = _maker(function, name)
                    if maker is not None and maker not in graphs:
                        yield call, f"`{name}` outside the function keeps a tensor without value"


def _maker(function: GraphFunction, name: str) -> ast.AST | None:
    """The scope around a graph function that makes a list or the like of this name."""
    scopes = [function.node, *function.source.containers(function.node)]
    for scope in scopes:
        if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Module)) and (
            any(makes_container(function.source, node, name) for node in own_nodes(scope))
        ):
            return None if scope is function.node else scope
    return None


RULES = (
    Rule(
        "GM105",
        "a global that other code changes, read in a graph function",
        "pass it as a tensor argument, or keep it in a tf.Variable",
        _stale_globals,
    ),
    Rule(
        "GM106",
        "Python state changed in a graph function",
        "count in a tf.Variable made outside (assign_add), or in the caller",
        in_functions(_state_writes),
    ),
    Rule(
        "GM107",
        "tf.Variable made in a graph function",
        "make the variable once, outside or in __init__, and close over it",
        in_functions(_variables),
    ),
    Rule(
        "GM108",
        "a tensor kept in a list outside of a graph function",
        "return the tensor, and keep it in the caller",
        _kept_tensors,
    ),
)
