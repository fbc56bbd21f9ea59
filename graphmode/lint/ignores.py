"""`# graphmode: ignore[GM101, GM205]`: a comment that switches rules off for its line."""

import io
import re
import tokenize
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from graphmode.lint.finding import Finding

UNUSED = "GM901"
UNKNOWN = "GM902"

_COMMENT = re.compile(r"#\s*graphmode:\s*ignore(?:\[([^\]]*)\])?")


@dataclass(frozen=True)
class Ignore:
    """One code in one comment.

    Attributes:
        line: the comment's, counted from 1.
        column: the comment's, counted from 1.
        code: the rule's; empty where the comment names none.
    """

    line: int
    column: int
    code: str


@dataclass
class Ignores:
    """The comments of one file, and which of them had something to switch off."""

    found: list[Ignore]
    used: set[Ignore] = field(default_factory=set)

    def without_ignored(self, findings: list[Finding]) -> list[Finding]:
        """Leave out the findings that a comment on their lines switches off."""
        return [finding for finding in findings if not self._covers(finding)]

    def problems(self, path: Path, known: Collection[str], looked_for: set[str]) -> list[Finding]:
        """Comments that switch nothing off.

        Args:
            path: the file.
            known: the codes of all rules.
            looked_for: the codes looked for now; a comment for another one may be needed.
        """
        shape = Finding(path, 0, 0, "", "", "remove the comment, or write the code of a rule", 0)
        problems = []
        for ignore in self.found:
            at = replace(shape, line=ignore.line, column=ignore.column, end_line=ignore.line)
            if ignore.code not in known:
                said = f"no rule {ignore.code!r}" if ignore.code else "it names no rule"
                problems.append(replace(at, code=UNKNOWN, message=f"this ignores nothing: {said}"))
            elif ignore.code in looked_for and ignore not in self.used:
                message = f"there is no {ignore.code} to ignore on this line"
                problems.append(replace(at, code=UNUSED, message=message))
        return problems

    def _covers(self, finding: Finding) -> bool:
        covering = [
            ignore
            for ignore in self.found
            if ignore.code == finding.code and finding.line <= ignore.line <= finding.end_line
        ]
        self.used.update(covering)
        return bool(covering)


def read_ignores(text: str) -> Ignores:
    """Find the comments of a file that parses."""
    return Ignores(list(_comments(text)))


def _comments(text: str) -> Iterator[Ignore]:
    if "graphmode:" not in text:
        return
    # Only comments: the same words in a string switch nothing off.
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        match = _COMMENT.search(token.string) if token.type == tokenize.COMMENT else None
        if match:
            line, column = token.start
            for code in (match[1] or "").split(","):
                yield Ignore(line, column + 1, code.strip())
