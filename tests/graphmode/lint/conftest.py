from pathlib import Path

import pytest

from graphmode.lint.checking import check_text, chosen_codes


@pytest.fixture
def codes_in():
    """Gives the codes that the default rules find in a text, in the order of its lines."""

    def check(text: str) -> list[str]:
        found = check_text(Path("module.py"), text, chosen_codes("", "")).findings
        return [finding.code for finding in found]

    return check
