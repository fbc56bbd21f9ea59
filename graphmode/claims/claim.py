"""A claim about graph mode, with the experiment that decides it."""

import enum
from collections.abc import Callable
from dataclasses import dataclass


class Verdict(enum.StrEnum):
    """What became of a claim."""

    HOLDS = "HOLDS"
    WRONG = "WRONG"
    OUTDATED = "OUTDATED"
    """Was true of an earlier TensorFlow."""
    PART = "PART"
    """True under a condition that the claim leaves out."""
    UNTESTED = "UNTESTED"
    """Cannot be decided on this machine."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What an experiment saw."""

    verdict: Verdict
    """Decided by what happened, never fixed beforehand."""
    happens: str
    """What this TensorFlow does, with the values just measured: a sentence or two of markdown."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One claim."""

    number: int
    """1 to 74."""
    section: str
    """Where the article makes it, as "2.1"."""
    text: str
    """The claim, in our own words."""
    expected: Verdict
    """What TensorFlow 2.21 gives; another verdict means that TensorFlow has changed."""
    right_way: str
    """The corrected statement, or code that works: markdown."""
    experiment: Callable[[], Finding]
    """Runs the code on the installed TensorFlow; leaves no setting of the process changed."""
    needs_timing: bool = False
    """Whether the verdict comes from a ratio of times."""
    aside: str | None = None
    """What the experiment does not show and a reader should know: markdown."""


def claim(  # noqa: PLR0913 -- the fields of Claim, all given by name
    *,
    number: int,
    section: str,
    text: str,
    expected: Verdict,
    right_way: str,
    needs_timing: bool = False,
    aside: str | None = None,
) -> Callable[[Callable[[], Finding]], Claim]:
    """Make a Claim of the experiment that is decorated; the fields are Claim's."""

    def with_experiment(experiment: Callable[[], Finding]) -> Claim:
        return Claim(
            number=number,
            section=section,
            text=text,
            expected=expected,
            right_way=right_way,
            experiment=experiment,
            needs_timing=needs_timing,
            aside=aside,
        )

    return with_experiment
