"""The source of one function: its lines as they stand in the file, and its syntax tree."""

import ast
import inspect
import textwrap
import types
from dataclasses import dataclass

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where a function stands."""

    file: str
    first_line: int
    """Line in the file, counted from 1; a decorator's, where there is one."""
    lines: tuple[str, ...]
    """Without the indentation that all of them share."""
    definition: Definition | None
    """Line numbers in it are the file's. None where two lambdas cannot be told apart."""

    @property
    def numbered(self) -> list[tuple[int, str]]:
        """The lines, each with its number in the file."""
        return list(enumerate(self.lines, self.first_line))

    def statement_line(self, line: int) -> int:
        """The first line of the statement that a line of the file belongs to.

        Of a loop or a branch only its head is meant. AutoGraph's origins point anywhere into a
        statement that spans several lines.
        """
        nodes = ast.walk(self.definition) if self.definition is not None else ()
        heads = (_head(node) for node in nodes if isinstance(node, ast.stmt))
        return max((first for first, last in heads if first <= line <= last), default=line)


def read_source(function: types.FunctionType) -> Source | None:
    """Find a function's source; None where it has none (made by `exec`, typed at a prompt)."""
    # The code object, because `inspect` looks through decorators and AutoGraph does not.
    code = function.__code__
    try:
        lines, first_line = inspect.getsourcelines(code)
        whole_file = "".join(inspect.findsource(code)[0])
    except (OSError, TypeError, IndentationError):
        return None
    return Source(
        file=code.co_filename,
        first_line=max(first_line, 1),
        lines=tuple(textwrap.dedent("".join(lines)).rstrip().splitlines()),
        definition=_find_definition(whole_file, code),
    )


def _head(statement: ast.stmt) -> tuple[int, int]:
    """First and last line of a statement, without the statements inside it."""
    body = getattr(statement, "body", None)
    last = body[0].lineno - 1 if body else statement.end_lineno or statement.lineno
    return statement.lineno, last


def _find_definition(text: str, code: types.CodeType) -> Definition | None:
    definitions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, Definition))
    found = [node for node in definitions if _is_of(node, code)]
    return found[0] if len(found) == 1 else None


def _is_of(node: Definition, code: types.CodeType) -> bool:
    if isinstance(node, ast.Lambda):
        return (
            code.co_name == "<lambda>"
            and node.lineno == code.co_firstlineno
            and [argument.arg for argument in node.args.args]
            == list(code.co_varnames[: code.co_argcount])
        )
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return node.name == code.co_name and first == code.co_firstlineno
