"""A rule: one fault that source code shows, with its page."""

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import resources

from graphmode.lint.graph_functions import GraphFunction
from graphmode.lint.source import Source


@dataclass(frozen=True)
class File:
    """A parsed file and the functions in it that run as a graph."""

    source: Source
    functions: list[GraphFunction]


Fault = tuple[ast.AST, str]
"""Where, and what goes wrong there: a sentence without a full stop."""


@dataclass(frozen=True)
class Rule:
    """One fault to look for.

    Attributes:
        code: GM and three digits; the first is the group.
        title: what goes wrong, in one line.
        fix: what to do, in one line.
        find: gives the faults of a file.
        is_default: whether it is looked for unless `--select` says so.
    """

    code: str
    title: str
    fix: str
    find: Callable[[File], Iterable[Fault]]
    is_default: bool = True

    def page(self) -> str:
        """The rule's page, markdown: what happens, a failing and a mended snippet."""
        return (resources.files("graphmode.lint") / "pages" / f"{self.code}.md").read_text("utf-8")


def in_functions(
    find: Callable[[GraphFunction], Iterator[Fault]],
) -> Callable[[File], Iterator[Fault]]:
    """Make a search of one graph function into one of all those of a file."""

    def find_in_file(file: File) -> Iterator[Fault]:
        for function in file.functions:
            for node, message in find(function):
                yield node, f"{message} ({function.why})" if function.why else message

    return find_in_file


def calls_of(function: GraphFunction) -> Iterator[tuple[ast.Call, str]]:
    """The calls of imported names in a graph function, each with the dotted name it calls."""
    for call in function.reading.calls:
        name = function.source.meaning(call.func)
        if name is not None:
            yield call, name
