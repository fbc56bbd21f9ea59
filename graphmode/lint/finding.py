"""What the linter has to say about a place in a file."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, order=True)
class Finding:
    """One fault found.

    Attributes:
        path: the file.
        line: counted from 1.
        column: counted from 1, in characters.
        code: the rule's.
        message: what goes wrong.
        fix: what to do.
        end_line: last line of the faulty code, where a comment may still switch it off.
    """

    path: Path
    line: int
    column: int
    code: str
    message: str
    fix: str
    end_line: int
