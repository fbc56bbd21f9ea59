"""The functions that a function calls, and whether AutoGraph converts them with it."""

import ast
import builtins
import functools
import inspect
import types
from dataclasses import dataclass

from graphmode.view.autograph import is_replaced_builtin, passed_by
from graphmode.view.source import Source


@dataclass(frozen=True, kw_only=True)
class Callee:
    """One call, as the source writes it."""

    name: str
    line: int
    """The first line of the source file that calls it."""
    target: object
    """What the name stands for; None where that is not known before it runs."""
    passed_by: str | None
    """Why AutoGraph calls it as it is."""

    @property
    def treatment(self) -> str:
        """What AutoGraph does with the call, for a reader."""
        if self.target is None:
            return "not known before it runs"
        if is_replaced_builtin(self.target):
            return "replaced by AutoGraph's version"
        return "converted with this function" if self.passed_by is None else self.passed_by

    @property
    def is_converted(self) -> bool:
        """Whether AutoGraph converts it when this function is converted."""
        return self.target is not None and self.passed_by is None


def find_callees(source: Source, function: types.FunctionType, owner: object) -> tuple[Callee, ...]:
    """List what is called, each once, in the order of the source.

    Args:
        source: of `function`.
        function: whose globals and closure the names are looked up in.
        owner: the instance or class that the first parameter of a method stands for, or None.
    """
    if source.definition is None:
        return ()
    names = _names(source.definition, function, owner)
    calls: dict[str, ast.Call] = {}
    for node in sorted(_calls(source.definition), key=lambda call: call.lineno):
        if isinstance(node.func, ast.Name | ast.Attribute):
            calls.setdefault(ast.unparse(node.func), node)
    found = ((text, node.lineno, _resolve(node.func, names)) for text, node in calls.items())
    return tuple(
        Callee(
            name=text,
            line=line,
            target=target,
            passed_by=None if target is None else passed_by(target),
        )
        for text, line, target in found
    )


def _calls(definition: ast.AST) -> list[ast.Call]:
    return [node for node in _body_nodes(definition) if isinstance(node, ast.Call)]


def _body_nodes(definition: ast.AST) -> list[ast.AST]:
    body = getattr(definition, "body", [])
    parts = body if isinstance(body, list) else [body]
    return [node for part in parts for node in ast.walk(part)]


def _names(definition: ast.AST, function: types.FunctionType, owner: object) -> dict[str, object]:
    """What each name stands for; a name that the function itself assigns is not known."""
    code = function.__code__
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    names = {**vars(builtins), **function.__globals__}
    names.update({name: _contents(cell) for name, cell in cells})
    parameters = code.co_varnames[: code.co_argcount]
    for name in (*code.co_varnames, *_assigned(definition)):
        names.pop(name, None)
    if owner is not None and parameters:
        names[parameters[0]] = owner
    return names


def _assigned(definition: ast.AST) -> list[str]:
    stored = (ast.Store, ast.Del)
    return [
        node.id
        for node in _body_nodes(definition)
        if isinstance(node, ast.Name) and isinstance(node.ctx, stored)
    ]


def _contents(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # the name is assigned later
        return None


def _resolve(node: ast.expr, names: dict[str, object]) -> object:
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if not isinstance(node, ast.Attribute):
        return None
    base = _resolve(node.value, names)
    return None if base is None else _attribute(base, node.attr)


def _attribute(base: object, name: str) -> object:
    """Read an attribute without running a property of the user's."""
    if isinstance(base, types.ModuleType):
        return getattr(base, name, None)
    static = inspect.getattr_static(base, name, None)
    if isinstance(static, property | functools.cached_property):
        return None
    return getattr(base, name, None)
