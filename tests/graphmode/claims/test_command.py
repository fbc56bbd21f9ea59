"""`python -m graphmode claims`: exit codes, the table, and the files."""

import json

import pytest

from graphmode.__main__ import main
from graphmode.claims.claim import Finding, Verdict, claim
from graphmode.claims.command import ClaimsConfig, try_and_tell

HOLDS, WRONG = (Finding(verdict=verdict, happens="It `is` so.") for verdict in list(Verdict)[:2])


def run(*arguments):
    return main(["claims", *map(str, arguments)])


def two_claims():
    fields = {"section": "1", "expected": Verdict.HOLDS, "right_way": "So."}
    return (
        claim(number=1, text="A | B.", aside="By the way.", **fields)(lambda: HOLDS),
        claim(number=2, text="C.", **fields)(lambda: WRONG),
    )


def test_verdicts_as_expected_are_exit_code_0(capsys):
    assert run(7, 28) == 0
    out, told = capsys.readouterr()
    assert json.loads(out.splitlines()[-1]) == {"claims": 2, "differ": []}
    assert "claim 28 WRONG" in told


def test_a_verdict_that_differs_is_exit_code_1_and_marked(capsys):
    assert try_and_tell(two_claims(), ClaimsConfig()) == 1
    lines = capsys.readouterr().out.splitlines()
    assert json.loads(lines[-1]) == {"claims": 2, "differ": [2]}
    assert [line.split()[3] for line in lines if line.startswith("│ !")] == ["2"]
    assert "claim 2: It `is` so." in lines


def test_the_files_hold_every_claim(tmp_path):
    page, rows = tmp_path / "claims.md", tmp_path / "claims.json"
    try_and_tell(two_claims(), ClaimsConfig(markdown=page, json=rows))
    text = page.read_text("utf-8")
    assert "| [1](#claim-1) | 1 | A \\| B. | HOLDS |" in text
    assert "By the way." in text
    assert "HOLDS was expected" in text
    found = json.loads(rows.read_text("utf-8"))
    assert [row["is_as_expected"] for row in found["claims"]] == [True, False]
    assert found["machine"]["tensorflow"].startswith("2.")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([99], "no claim 99; they are numbered 1 to "),
        (["1", "--markdown", "page.md"], "name no numbers"),
        (["--json", "/dev/null/x.json"], "/dev/null"),
    ],
)
def test_what_cannot_run_is_one_line_and_exit_code_2(arguments, told, capsys):
    assert run(*arguments) == 2
    error = capsys.readouterr().err
    assert told in error
    assert len(error.splitlines()) == 1
