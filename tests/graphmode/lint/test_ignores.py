from pathlib import Path

from graphmode.lint.checking import check_text, chosen_codes

TEXT = """import tensorflow as tf

@tf.function
def step(x):
    print(x){comment}
    return x
"""


def found(comment: str, select: str = "") -> list[tuple[str, int]]:
    text = TEXT.format(comment=comment)
    findings = check_text(Path("module.py"), text, chosen_codes(select, "")).findings
    return [(finding.code, finding.line) for finding in findings]


def test_a_comment_switches_its_rule_off_for_its_line():
    assert found("") == [("GM101", 5)]
    assert found("  # graphmode: ignore[GM101]") == []
    assert found("  # noqa  # graphmode: ignore[GM101]") == []


def test_a_comment_for_another_rule_switches_nothing_off_and_is_reported():
    assert sorted(found("  # graphmode: ignore[GM102]")) == [("GM101", 5), ("GM901", 5)]


def test_of_several_codes_the_unused_ones_are_reported():
    assert found("  # graphmode: ignore[GM101, GM301]") == [("GM901", 5)]


def test_an_unknown_code_is_reported():
    assert found("  # graphmode: ignore[GM101,GM777]") == [("GM902", 5)]


def test_a_comment_without_a_code_switches_nothing_off():
    assert sorted(found("  # graphmode: ignore")) == [("GM101", 5), ("GM902", 5)]


def test_a_comment_for_a_rule_that_is_not_looked_for_is_not_reported():
    assert found("  # graphmode: ignore[GM102]", select="GM101,GM9") == [("GM101", 5)]


def test_a_comment_on_another_line_switches_nothing_off():
    text = TEXT.format(comment="\n    y = x  # graphmode: ignore[GM101]")
    findings = check_text(Path("module.py"), text, chosen_codes("", "")).findings
    assert [finding.code for finding in findings] == ["GM101", "GM901"]


def test_the_words_in_a_string_switch_nothing_off():
    assert found('; y = "# graphmode: ignore[GM101]"') == [("GM101", 5)]


def test_a_comment_at_the_end_of_a_call_of_several_lines_counts():
    text = TEXT.replace("print(x){comment}", "print(\n        x\n    )  # graphmode: ignore[GM101]")
    assert check_text(Path("module.py"), text, chosen_codes("", "")).findings == []
