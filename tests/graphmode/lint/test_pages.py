"""Every page: its failing snippet fails as it says and is caught, its mended one is right."""

import re
import runpy
from pathlib import Path

import pytest

from graphmode.lint.checking import TITLES, check_text
from graphmode.lint.rules import RULES

PAGES = Path(__file__).parents[3] / "docs" / "lint"
CODES = [rule.code for rule in RULES]


def snippet(code: str, section: str) -> str:
    text = (PAGES / f"{code}.md").read_text().split(f"\n## {section}\n")[1].split("\n## ")[0]
    (found,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    return found


def expected_error(code: str) -> tuple[str, str] | None:
    found = re.findall(r"```text\n(.*?)\n```", (PAGES / f"{code}.md").read_text(), flags=re.DOTALL)
    kind, _, text = found[0].partition(": ") if found else ("", "", "")
    return (kind, text) if found else None


def run(text: str, folder: Path) -> None:
    # From a file, because AutoGraph reads the source.
    file = folder / "snippet.py"
    file.write_text(text)
    runpy.run_path(str(file))


@pytest.mark.parametrize("code", CODES)
def test_the_failing_snippet_fails_as_the_page_says(code, tmp_path):
    error = expected_error(code)
    if error is None:
        # A silent fault: the snippet asserts the wrong result.
        assert "\nassert " in snippet(code, "Fails")
        run(snippet(code, "Fails"), tmp_path)
        return
    with pytest.raises(Exception) as raised:  # noqa: PT011 - the page says which
        run(snippet(code, "Fails"), tmp_path)
    kind, text = error
    assert raised.type.__name__ == kind
    assert text
    assert text in str(raised.value)


@pytest.mark.parametrize("code", CODES)
def test_the_mended_snippet_runs_and_is_right(code, tmp_path):
    mended = snippet(code, "Mended")
    assert "assert " in mended
    run(mended, tmp_path)


@pytest.mark.parametrize("code", CODES)
def test_the_failing_snippet_is_caught_by_its_own_rule_alone(code):
    codes = {*TITLES} - {"GM601"} | {code}
    found = check_text(Path("snippet.py"), snippet(code, "Fails"), codes).findings
    assert {finding.code for finding in found} == {code}


@pytest.mark.parametrize("code", CODES)
def test_the_mended_snippet_is_not_flagged(code):
    codes = {*TITLES} - {"GM601"} | {code}
    assert check_text(Path("snippet.py"), snippet(code, "Mended"), codes).findings == []


def test_every_rule_has_a_page_and_every_page_a_rule():
    assert sorted(page.stem for page in PAGES.glob("GM*.md")) == CODES


@pytest.mark.parametrize("rule", RULES, ids=CODES)
def test_the_page_has_the_rules_title(rule):
    assert rule.page().splitlines()[0] == f"# {rule.code}: {rule.title}"


def test_the_index_lists_every_rule():
    index = (PAGES / "README.md").read_text()
    rows = re.findall(r"^\| \[(GM\d+)\]\(\1\.md\) \| (.*?) \|", index, flags=re.MULTILINE)
    assert rows == [(rule.code, rule.title) for rule in RULES]
