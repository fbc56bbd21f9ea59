"""docs/claims.md is the page of the claims as they are in the code."""

import re
from pathlib import Path

from graphmode.claims.book import all_claims

PAGE = Path(__file__).parents[3] / "docs" / "claims.md"


def test_the_page_lists_every_claim_with_its_verdict():
    text = PAGE.read_text("utf-8")
    rows = re.findall(r"^\| \[(\d+)\]\(#claim-\1\) \| .* \| (\w+) \|$", text, re.MULTILINE)
    assert rows == [(str(claim.number), str(claim.expected)) for claim in all_claims()], (
        "docs/claims.md is not of these claims: run `make claims`"
    )


def test_the_page_says_the_right_way_of_every_claim():
    text = PAGE.read_text("utf-8")
    assert [claim.number for claim in all_claims() if claim.right_way.strip() not in text] == []
