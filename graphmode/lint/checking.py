"""From paths to findings: which files are read, which rules look at them."""

import ast
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from graphmode.lint.errors import LintError
from graphmode.lint.finding import Finding
from graphmode.lint.graph_functions import find_graph_functions
from graphmode.lint.ignores import UNKNOWN, UNUSED, read_ignores
from graphmode.lint.rule import File, Rule
from graphmode.lint.rules import RULES
from graphmode.lint.source import parse

SYNTAX = "GM900"

_SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules", "site-packages"})
_TOOL_CODES = {
    SYNTAX: "a file that is not Python",
    UNUSED: "an ignore comment with nothing to ignore",
    UNKNOWN: "an ignore comment for no known rule",
}
TITLES = {**{rule.code: rule.title for rule in RULES}, **_TOOL_CODES}
"""What each code means, those of the linter itself included."""


@dataclass(frozen=True)
class Report:
    """What one run found.

    Attributes:
        findings: in order of file and line.
        files: how many it read.
        graphs: how many functions in them run as a graph.
    """

    findings: list[Finding]
    files: int
    graphs: int


def check_paths(paths: Iterable[Path], codes: set[str], excluded: Iterable[Path] = ()) -> Report:
    """Look for faults in files and folders.

    Args:
        paths: Python files (of any suffix), or folders, whose `.py` files are read.
        codes: the rules to look for.
        excluded: files and folders left out.

    Raises:
        LintError: a path is missing or cannot be read.
    """
    left_out = [path.resolve() for path in excluded]
    files = [
        file
        for file in dict.fromkeys(file for path in paths for file in _python_files(path))
        if not any(file.resolve().is_relative_to(path) for path in left_out)
    ]
    reports = [_check_file(file, codes) for file in files]
    findings = sorted(finding for report in reports for finding in report.findings)
    return Report(findings, len(files), sum(report.graphs for report in reports))


def check_text(path: Path, text: str, codes: set[str]) -> Report:
    """Look for faults in one file's text; one that is not Python is a finding itself."""
    try:
        source = parse(path, text)
        file = File(source, find_graph_functions(source))
        findings = _findings(file, text, codes)
    except SyntaxError as error:
        return _unreadable(path, error, codes)
    except RecursionError:
        return _unreadable(path, SyntaxError("nested too deeply"), codes)
    return Report(findings, 1, len({graph.node for graph in file.functions}))


def chosen_codes(select: str, ignore: str) -> set[str]:
    """The codes to look for.

    Args:
        select: codes or their beginnings, separated by commas; ALL is all; empty is the default.
        ignore: codes or beginnings to leave out again.

    Raises:
        LintError: one of them fits no rule.
    """
    default = {rule.code for rule in RULES if rule.is_default} | {*_TOOL_CODES}
    chosen = _fitting("select", select) if select else default
    return chosen - _fitting("ignore", ignore)


def rule_of(code: str) -> Rule:
    """The rule of a code.

    Raises:
        LintError: there is none.
    """
    for rule in RULES:
        if rule.code == code.upper():
            return rule
    known = ", ".join(rule.code for rule in RULES)
    raise LintError(f"no rule {code!r}; there are {known}")


def _fitting(flag: str, words: str) -> set[str]:
    found: set[str] = set()
    for word in filter(None, (word.strip() for word in words.split(","))):
        fitting = {code for code in TITLES if word == "ALL" or code.startswith(word)}
        if not fitting:
            raise LintError(f"--{flag} {word}: no rule's code begins so; they begin with GM")
        found |= fitting
    return found


def _python_files(path: Path) -> Iterator[Path]:
    if not path.exists():
        raise LintError(f"{path}: no such file or folder")
    if not path.is_dir():
        yield path
        return
    for entry in sorted(path.iterdir()):
        if entry.is_dir():
            if not entry.name.startswith(".") and entry.name not in _SKIPPED_FOLDERS:
                yield from _python_files(entry)
        elif entry.suffix == ".py":
            yield entry


def _check_file(path: Path, codes: set[str]) -> Report:
    try:
        # Heeds a coding line, as Python does.
        with tokenize.open(path) as file:
            text = file.read()
    except OSError as error:
        raise LintError(f"{path}: cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, SyntaxError) as error:
        return _unreadable(path, SyntaxError(str(error)), codes)
    return check_text(path, text, codes)


def _findings(file: File, text: str, codes: set[str]) -> list[Finding]:
    path = file.source.path
    faults = sorted(_faults(file, codes))
    ignores = read_ignores(text)
    found = ignores.without_ignored(faults)
    problems = ignores.problems(path, TITLES, codes)
    return [*found, *(problem for problem in problems if problem.code in codes)]


def _faults(file: File, codes: set[str]) -> Iterator[Finding]:
    rules = [rule for rule in RULES if rule.code in codes]
    seen: set[tuple[int, int, str]] = set()
    for rule in rules:
        for node, message in rule.find(file):
            line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1
            if (line, column, rule.code) not in seen:
                seen.add((line, column, rule.code))
                end = _end_line(node, line)
                yield Finding(file.source.path, line, column, rule.code, message, rule.fix, end)


def _end_line(node: ast.AST, line: int) -> int:
    """Last line of an expression or simple statement; the first of one that holds others."""
    return line if hasattr(node, "body") else getattr(node, "end_lineno", None) or line


def _unreadable(path: Path, error: SyntaxError, codes: set[str]) -> Report:
    line, column = error.lineno or 1, max(error.offset or 1, 1)
    message = f"cannot be parsed: {error.msg}"
    finding = Finding(path, line, column, SYNTAX, message, "mend the syntax, or exclude it", line)
    return Report([finding] if SYNTAX in codes else [], 1, 0)
