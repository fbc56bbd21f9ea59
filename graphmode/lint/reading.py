"""Reads a graph function's body once, in order, and notes what each expression is.

Only code that runs while tracing is read: `if tf.executing_eagerly():` and `tf.init_scope()`
bodies are left out, and the functions defined within are read when they are called.
"""

import ast
from collections.abc import Iterable

from graphmode.lint.expressions import Expressions, Names
from graphmode.lint.kinds import Kind, computed_from, element_of, join
from graphmode.lint.source import Function, Source, body_of

_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


class Reading(Expressions):
    """What one function's body holds; `names` is then what each local name is at its end."""

    def __init__(self, source: Source, function: Function, names: Names) -> None:
        super().__init__(source, names)
        self._block(body_of(function))

    def _block(self, statements: Iterable[ast.AST]) -> bool:
        """Read statements; False when control never reaches their end."""
        for statement in statements:
            self._read(statement)
            if isinstance(statement, _ENDS):
                return False
        return True

    def _functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Kind:
        self.names[node.name] = Kind.OTHER
        return Kind.OTHER

    _asyncfunctiondef = _classdef = _functiondef

    def _assign(self, node: ast.Assign) -> Kind:
        kind = self._read(node.value)
        for target in node.targets:
            self._bind(target, kind, node.value)
        return Kind.OTHER

    def _annassign(self, node: ast.AnnAssign) -> Kind:
        if node.value is not None:
            self._bind(node.target, self._read(node.value), node.value)
        return Kind.OTHER

    def _augassign(self, node: ast.AugAssign) -> Kind:
        before = self._read(node.target)
        self._bind(node.target, computed_from([before, self._read(node.value)]))
        return Kind.OTHER

    def _if(self, node: ast.If) -> Kind:
        self._read(node.test)
        eager = self._is_eager_test(node.test)
        before = dict(self.names)
        goes_on = eager is not True and self._block(node.body)
        after_body = self.names if goes_on else None
        self.names = dict(before)
        goes_on = eager is not False and self._block(node.orelse)
        after_else = self.names if goes_on else None
        self.names = _joined([names for names in (after_body, after_else) if names is not None])
        self.names = self.names or before
        return Kind.OTHER

    def _for(self, node: ast.For) -> Kind:
        element = element_of(self._read(node.iter))
        before = dict(self.names)
        # Twice: what the first turn leaves in a name is what the second one finds.
        for _ in range(2):
            self._bind(node.target, element)
            self._block(node.body)
            self.names = _joined([before, self.names])
        self._block(node.orelse)
        return Kind.OTHER

    def _while(self, node: ast.While) -> Kind:
        before = dict(self.names)
        for _ in range(2):
            self._read(node.test)
            self._block(node.body)
            self.names = _joined([before, self.names])
        self._block(node.orelse)
        return Kind.OTHER

    def _with(self, node: ast.With) -> Kind:
        opened = [item.context_expr for item in node.items]
        for item in node.items:
            self._read(item.context_expr)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, Kind.OTHER)
        names = [self._called(expression) for expression in opened]
        if "tensorflow.init_scope" not in names:
            self._block(node.body)
        return Kind.OTHER

    def _is_eager_test(self, test: ast.AST) -> bool | None:
        """True: the body runs eagerly only; False: the else branch does; None: neither."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inverse = self._is_eager_test(operand)
                return None if inverse is None else not inverse
            case ast.BoolOp(op=ast.And(), values=values):
                return True if any(self._is_eager_test(value) for value in values) else None
            case ast.Call(func=ast.Name(id="hasattr"), args=[_, ast.Constant(value="numpy")]):
                return True
            case ast.Call(func=function):
                name = self._source.meaning(function) or ""
                if name.endswith("inside_function"):
                    return False
                return True if name.endswith("executing_eagerly") else None
        return None


def _joined(branches: list[Names]) -> Names:
    if not branches:
        return {}
    first, *others = branches
    for other in others:
        first = {
            name: join(first.get(name, Kind.OTHER), other.get(name, Kind.OTHER))
            for name in {*first, *other}
        }
    return first
