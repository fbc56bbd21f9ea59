"""One Python file as the rules see it: its tree, who contains whom, and what names mean.

import tensorflow.compat.v2 as T;  T.math.add   -->  "tensorflow.math.add"
from tensorflow import function as graph; graph -->  "tensorflow.function"
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = (*_FUNCTIONS, ast.ClassDef)
_SAME = (("tensorflow.compat.v2", "tensorflow"), ("tensorflow.keras", "keras"))


@dataclass(frozen=True, eq=False)
class Source:
    """A parsed file.

    Attributes:
        path: where it was read.
        tree: its syntax tree.
        parents: the node that directly contains each node.
    """

    path: Path
    tree: ast.Module
    parents: dict[ast.AST, ast.AST] = field(repr=False)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of the file."""
        return [self.tree, *self.parents]

    @cached_property
    def meanings(self) -> dict[str, str]:
        """What imported names, and module-level aliases of them, stand for."""
        found: dict[str, str] = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                found.update(_import_meanings(node))
            elif isinstance(node, ast.ImportFrom):
                found.update(_from_import_meanings(node))
        for statement in self.tree.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=alias)], value=ast.Name() | ast.Attribute()):
                    meaning = _dotted(statement.value, found)
                    if meaning:
                        found.setdefault(alias, meaning)
        return found

    def meaning(self, node: ast.AST) -> str | None:
        """Dotted name of what a name or attribute chain refers to, None where unknown.

        `tensorflow.compat.v2` reads as `tensorflow`, `tensorflow.keras` as `keras`.
        """
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or self._is_rebound(root):
            return None
        return _dotted(node, self.meanings)

    def is_builtin(self, node: ast.AST, *names: str) -> bool:
        """Whether a node is one of these builtins, not hidden by a definition of the file."""
        return (
            isinstance(node, ast.Name)
            and node.id in names
            and node.id not in self.meanings
            and node.id not in bound_names(self.tree)
            and not self._is_rebound(node)
        )

    def containers(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, from the inside out."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def function_around(self, node: ast.AST) -> Function | None:
        """The innermost function whose code a node is."""
        for container in self.containers(node):
            if isinstance(container, _FUNCTIONS):
                return container
        return None

    def class_of(self, function: ast.AST) -> ast.ClassDef | None:
        """The class that a function is a method of."""
        parent = self.parents.get(function)
        return parent if isinstance(parent, ast.ClassDef) else None

    def definition(self, node: ast.AST) -> Function | None:
        """The function of this file that an expression refers to.

        Follows a plain name outwards through the scopes, and `self.method` within its class.
        """
        match node:
            case ast.Lambda():
                return node
            case ast.Name(id=name):
                return self._named(name, node)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                return self._method(name, node)
        return None

    def _named(self, name: str, at: ast.AST) -> Function | None:
        for scope in self.containers(at):
            if isinstance(scope, (*_FUNCTIONS, ast.Module)):
                if name in _parameter_names(scope):
                    return None
                if name in bound_names(scope):
                    return _only_definition(scope, name)
        return None

    def _method(self, name: str, at: ast.AST) -> Function | None:
        for container in self.containers(at):
            if isinstance(container, ast.ClassDef):
                return _only_definition(container, name)
        return None

    def _is_rebound(self, name: ast.Name) -> bool:
        return any(
            name.id in bound_names(scope)
            for scope in self.containers(name)
            if isinstance(scope, _FUNCTIONS)
        )


def parse(path: Path, text: str) -> Source:
    """Parse a file's text.

    Raises:
        SyntaxError: it is not Python.
        RecursionError: an expression is nested thousands of levels deep.
    """
    try:
        tree = ast.parse(text)
    except ValueError as error:  # Null bytes, before Python 3.12.
        raise SyntaxError(str(error)) from error
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    return Source(path, tree, parents)


def body_of(scope: ast.AST) -> list[ast.AST]:
    """Statements of a function, class or module; a lambda's one expression."""
    body: list[ast.AST] | ast.AST = getattr(scope, "body", [])
    return body if isinstance(body, list) else [body]


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope's body, without those inside the functions and classes in it."""
    waiting = list(body_of(scope))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _SCOPES):
            waiting.extend(ast.iter_child_nodes(node))


def parameters(function: Function) -> list[ast.arg]:
    """Positional and keyword-only parameters, in order, without *args and **kwargs."""
    given = function.args
    return [*given.posonlyargs, *given.args, *given.kwonlyargs]


def name_of(function: ast.AST) -> str:
    """A function's name; a lambda is called so."""
    return getattr(function, "name", "lambda")


def bound_names(scope: ast.AST) -> frozenset[str]:
    """Names that a function or module binds itself, other than by import."""
    cached: frozenset[str] | None = getattr(scope, "_bound_names", None)
    if cached is None:
        cached = frozenset(_bindings(scope))
        # Kept on the node: every look-up of a name asks each scope around it.
        scope._bound_names = cached  # type: ignore[attr-defined]  # noqa: SLF001
    return cached


def _bindings(scope: ast.AST) -> Iterator[str]:
    yield from _parameter_names(scope)
    outer: set[str] = set()
    names: set[str] = set()
    for node in own_nodes(scope):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.ClassDef(name=name):
                names.add(name)
            case ast.Global(names=declared) | ast.Nonlocal(names=declared):
                outer.update(declared)
    yield from names - outer


def _parameter_names(scope: ast.AST) -> set[str]:
    if not isinstance(scope, _FUNCTIONS):
        return set()
    stars = [star for star in (scope.args.vararg, scope.args.kwarg) if star]
    return {argument.arg for argument in [*parameters(scope), *stars]}


def _only_definition(scope: ast.AST, name: str) -> Function | None:
    found: list[Function] = []
    for node in own_nodes(scope):
        match node:
            case ast.FunctionDef(name=defined) | ast.AsyncFunctionDef(name=defined):
                if defined == name:
                    found.append(node)
            case ast.Assign(targets=[ast.Name(id=assigned)], value=ast.Lambda() as value):
                if assigned == name:
                    found.append(value)
    return found[0] if len(found) == 1 else None


def _dotted(node: ast.AST, meanings: dict[str, str]) -> str | None:
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in meanings:
        return None
    return _canonical(".".join([meanings[node.id], *reversed(attributes)]))


def _canonical(name: str) -> str:
    for alias, meaning in _SAME:
        if name == alias or name.startswith(alias + "."):
            name = meaning + name[len(alias) :]
    return name


def _import_meanings(node: ast.Import) -> Iterator[tuple[str, str]]:
    for alias in node.names:
        top = alias.name.split(".")[0]
        yield (alias.asname, alias.name) if alias.asname else (top, top)


def _from_import_meanings(node: ast.ImportFrom) -> Iterator[tuple[str, str]]:
    for alias in node.names:
        # Libraries re-export it lazily: `from keras.src.utils.module_utils import tensorflow`.
        is_tensorflow = alias.name == "tensorflow"
        full = "tensorflow" if is_tensorflow else f"{node.module or ''}.{alias.name}"
        yield alias.asname or alias.name, "." * node.level + full
