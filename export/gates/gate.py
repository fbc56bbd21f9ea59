"""A gate's verdict, and what it is about."""

from dataclasses import dataclass
from pathlib import Path

from export.forms import Form
from export.signatures import Answers


@dataclass(frozen=True, kw_only=True)
class GateResult:
    """One gate's verdict."""

    name: str
    passed: bool
    detail: str
    """What was expected, what came and, where it failed, what to do."""

    figure: float | None = None
    """What was measured, where that is a number."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A written SavedModel that asks to be published."""

    folder: Path
    form: Form
    labels: tuple[str, ...]
    image_size: int
    """Width and height of the input, in pixels."""
    weights_bytes: int
    answers: Answers
    """The signatures as Python functions, which were traced into it."""
