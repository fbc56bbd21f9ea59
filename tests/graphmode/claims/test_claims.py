"""Every claim gives the verdict that is known of TensorFlow 2.21."""

import pytest

from graphmode.claims.book import all_claims
from graphmode.claims.trial import try_claim


@pytest.mark.slow
@pytest.mark.parametrize("claim", all_claims(), ids=lambda claim: str(claim.number))
def test_the_verdict_is_what_it_was(claim):
    # Some are decided by a speed, which a busy machine may hide twice.
    for _ in range(3):
        trial = try_claim(claim)
        if trial.is_as_expected:
            break
    assert trial.is_as_expected, (
        f"claim {claim.number} ({claim.text}) was {claim.expected} and is now "
        f"{trial.finding.verdict}: {trial.finding.happens} If TensorFlow changed, change "
        "`expected` and `right_way` in its experiment and run `make claims`."
    )
