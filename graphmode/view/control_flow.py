"""The control flow of a function's source, and what AutoGraph made of each piece."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from graphmode.view.autograph import Generated
from graphmode.view.source import Source

IF_OPS = frozenset({"If", "StatelessIf", "Case", "StatelessCase"})
LOOP_OPS = frozenset({"While", "StatelessWhile", "ReduceDataset", "ScanDataset"})


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What AutoGraph does with one kind of statement or expression."""

    call: str | None
    """The function of `ag__` that takes its place; None where plain assignments do, or nothing."""
    becomes: str
    """What it is with tensors."""
    ops: frozenset[str] = frozenset()
    """The ops that show in a trace that it became part of the graph."""


RULES = {
    "if": Rule(call="if_stmt", becomes="tf.cond if its condition is a tensor", ops=IF_OPS),
    "while": Rule(
        call="while_stmt", becomes="tf.while_loop if its condition is a tensor", ops=LOOP_OPS
    ),
    "for": Rule(call="for_stmt", becomes="tf.while_loop over a tensor or tf.range", ops=LOOP_OPS),
    "if else": Rule(call="if_exp", becomes="tf.cond if its condition is a tensor", ops=IF_OPS),
    "and": Rule(call="and_", becomes="tf.cond on scalar tensors, lazy as in Python", ops=IF_OPS),
    "or": Rule(call="or_", becomes="tf.cond on scalar tensors, lazy as in Python", ops=IF_OPS),
    "a < b < c": Rule(
        call="and_", becomes="tf.cond on scalar tensors, lazy as in Python", ops=IF_OPS
    ),
    "not": Rule(call="not_", becomes="tf.logical_not of a tensor", ops=frozenset({"LogicalNot"})),
    "assert": Rule(call="assert_stmt", becomes="tf.debugging.Assert, on every call"),
    "break": Rule(call=None, becomes="a flag that the loop's condition reads"),
    "continue": Rule(call=None, becomes="a flag around the rest of the loop's body"),
    "early return": Rule(call=None, becomes="a flag and a value, tested by what follows"),
    "comprehension": Rule(call=None, becomes=""),
    "try": Rule(call=None, becomes=""),
    "raise": Rule(call=None, becomes=""),
    "match": Rule(call=None, becomes=""),
}

STAYS = {
    "comprehension": "stays Python: over a tensor it raises; use tf.map_fn or a TensorArray",
    "try": "stays Python: it catches what tracing raises, never what the graph does",
    "raise": "stays Python: it fires while tracing, also under a tensor `if` that is false",
    "match": "stays Python: it compares while tracing",
    "assert": "stays Python: on a tensor it raises; use tf.debugging.assert_*",
}
"""Kinds that AutoGraph leaves alone. `assert` it converts only with Feature.ASSERT_STATEMENTS."""


@dataclass(frozen=True, kw_only=True)
class Flow:
    """One piece of control flow."""

    kind: str
    line: int
    """In the source file."""
    statement: int
    """The first line of the statement that it is in; generated code and ops are known by it."""
    call: str | None
    """`ag__.if_stmt` and the like, where the generated code has it."""
    meaning: str
    """What becomes of it, for a reader."""
    generated: tuple[int, ...] = ()
    """Lines of the generated code, from 1, that stand for it."""

    @property
    def is_converted(self) -> bool:
        """Whether AutoGraph put something in its place."""
        return bool(self.generated)


def find_control_flow(source: Source, generated: Generated | None) -> tuple[Flow, ...]:
    """List the control flow in the order of the source."""
    if source.definition is None:
        return ()
    found = _Finder().find(source.definition)
    return tuple(_flow(kind, line, source, generated) for line, kind in sorted(found))


def _flow(kind: str, line: int, source: Source, generated: Generated | None) -> Flow:
    rule = RULES[kind]
    statement = source.statement_line(line)
    if generated is None:
        meaning = "stays Python: not converted"
        return Flow(kind=kind, line=line, statement=statement, call=None, meaning=meaning)
    made = tuple(_made_from(statement, rule.call, generated)) if rule.becomes else ()
    if not made:
        meaning = STAYS.get(kind, "stays Python")
        return Flow(kind=kind, line=line, statement=statement, call=None, meaning=meaning)
    call = rule.call and f"ag__.{rule.call}"
    return Flow(
        kind=kind,
        line=line,
        statement=statement,
        call=call,
        meaning=rule.becomes,
        generated=made,
    )


def _made_from(line: int, call: str | None, generated: Generated) -> Iterator[int]:
    lines = zip(generated.lines, generated.origins, strict=True)
    for number, (text, origin) in enumerate(lines, 1):
        if origin == line and (call is None or f"ag__.{call}(" in text):
            yield number


class _Finder(ast.NodeVisitor):
    """Walks one function; what is defined inside it is converted with it and counts too."""

    def __init__(self) -> None:
        self._found: set[tuple[int, str]] = set()
        self._depth = 0
        """Statements of control flow around the one that is looked at, in the same function."""

    def find(self, definition: ast.AST) -> set[tuple[int, str]]:
        for part in _body(definition):
            self.visit(part)
        return self._found

    def visit(self, node: ast.AST) -> None:
        kind = self._kind(node)
        if kind is not None and isinstance(node, ast.stmt | ast.expr):
            self._found.add((node.lineno, kind))
        depth = self._depth
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            self._depth = 0
        elif isinstance(node, ast.If | ast.For | ast.While):
            self._depth += 1
        self.generic_visit(node)
        self._depth = depth

    def _kind(self, node: ast.AST) -> str | None:
        if isinstance(node, ast.Return):
            return "early return" if self._depth else None
        if isinstance(node, ast.BoolOp):
            return "and" if isinstance(node.op, ast.And) else "or"
        if isinstance(node, ast.UnaryOp):
            return "not" if isinstance(node.op, ast.Not) else None
        if isinstance(node, ast.Compare):
            return "a < b < c" if len(node.ops) > 1 else None
        return next((kind for types, kind in _KINDS if isinstance(node, types)), None)


_KINDS: tuple[tuple[tuple[type[ast.AST], ...], str], ...] = (
    ((ast.If,), "if"),
    ((ast.While,), "while"),
    ((ast.For,), "for"),
    ((ast.IfExp,), "if else"),
    ((ast.Assert,), "assert"),
    ((ast.Break,), "break"),
    ((ast.Continue,), "continue"),
    ((ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), "comprehension"),
    ((ast.Try,), "try"),
    ((ast.Raise,), "raise"),
    ((ast.Match,), "match"),
)


def _body(definition: ast.AST) -> list[ast.AST]:
    if isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef):
        return list(definition.body)
    return [definition.body] if isinstance(definition, ast.Lambda) else []
