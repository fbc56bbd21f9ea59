"""A trial: a claim, put to the installed TensorFlow."""

import contextlib
import logging
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import tensorflow as tf

from graphmode.claims.claim import Claim, Finding, Verdict
from graphmode.claims.observing import brief


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What came of one claim."""

    claim: Claim
    finding: Finding
    has_failed: bool
    """Whether the experiment broke, so that its finding says no more than how."""
    taken_s: float

    @property
    def is_as_expected(self) -> bool:
        """Whether this TensorFlow gives the verdict that is known."""
        return not self.has_failed and self.finding.verdict is self.claim.expected


def try_claim(claim: Claim) -> Trial:
    """Run a claim's experiment; one that breaks gives a trial that is not as expected."""
    began_s = time.perf_counter()
    has_failed = False
    try:
        finding = claim.experiment()
    except Exception as error:  # noqa: BLE001 -- on another TensorFlow anything may break
        has_failed = True
        finding = Finding(
            verdict=Verdict.UNTESTED, happens=f"The experiment itself broke: `{brief(error)}`."
        )
    return Trial(
        claim=claim,
        finding=finding,
        has_failed=has_failed,
        taken_s=time.perf_counter() - began_s,
    )


def try_claims(claims: Iterable[Claim]) -> Iterator[Trial]:
    """Try claims in turn, without TensorFlow's warnings of what they do wrong on purpose."""
    with _without_warnings():
        for claim in claims:
            yield try_claim(claim)


@contextlib.contextmanager
def _without_warnings() -> Iterator[None]:
    logger = tf.get_logger()
    # Its level stays as it is: an experiment may listen.
    kept, logger.handlers[:] = list(logger.handlers), [logging.NullHandler()]
    try:
        yield
    finally:
        logger.handlers[:] = kept
