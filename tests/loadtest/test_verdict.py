import pytest

from loadtest.estimates import Ratio
from loadtest.summary import Headline, Memory, Summary, TargetSummary
from loadtest.verdict import article_rows, plain_table, ratio_text, verdict


def target(name, reasons=()):
    return TargetSummary(
        name=name,
        server="flask",
        execution="eager",
        precision="fp32",
        protocol="rest",
        payload="jpeg",
        users=8,
        n=1002,
        errors=0,
        p50_ms=100.0,
        p95_ms=120.0,
        p99_ms=130.0,
        throughput_rps=80.0,
        memory_pss_mb=Memory(400.0, 450.0),
        cold_start_s=0.6,
        valid=not reasons,
        reasons=list(reasons),
    )


def summary_of(reasons=()):
    ratios = {
        "throughput": Ratio(3.6, 3.5, 3.7),
        "p50": Ratio(0.27, 0.26, 0.28),
        "p95": Ratio(0.25, 0.24, 0.26),
        "memory": Ratio(0.47, 0.47, 0.48),
    }
    headline = Headline(
        baseline="eager-rest",
        candidate="bf16-rest",
        ratios=ratios,
        valid=not reasons,
        reasons=[f"bf16-rest: {reason}" for reason in reasons],
        load={"users": 8, "protocol": "rest"},
    )
    return Summary(
        headline=headline,
        targets=[target("eager-rest"), target("bf16-rest", reasons)],
        comparisons=[headline],
        manifest={"machine": {"cpu": "A processor", "cores": 2}, "git_commit": "0123456789abcdef"},
    )


def test_the_verdict_says_what_how_many_where_and_of_which_commit():
    sentence = verdict(summary_of())
    assert sentence.startswith("bf16-rest answers 3.60 times the requests of eager-rest")
    for fact in ("0.25 times its P95", "8 users", "n = 1,002", "A processor", "0123456789ab"):
        assert fact in sentence


def test_an_invalid_headline_is_marked_before_anything_is_claimed():
    sentence = verdict(summary_of(["3 of 1002 requests failed"]))
    assert sentence.startswith("INVALID, not to be quoted: bf16-rest answers")


def test_one_target_makes_no_claim():
    alone = Summary(headline=None, targets=[target("a")], comparisons=[], manifest={})
    assert verdict(alone) == "One target ran, so nothing is compared."


def test_the_table_marks_an_invalid_row_with_its_reason():
    lines = plain_table(summary_of(["a reason"])).splitlines()
    assert lines[1].startswith("eager-rest")
    assert "INVALID" not in lines[1]
    assert lines[2].endswith("INVALID: a reason")


def test_the_articles_ratios_are_graph_over_eager_as_ours():
    rows = {row.measure: row for row in article_rows(summary_of().headline)}
    assert rows["P50"].article_ratio == pytest.approx(1 / 2.33, abs=0.01)
    assert rows["P95"].article_ratio == pytest.approx(1 / 3.12, abs=0.01)
    assert rows["Throughput"].article_ratio == pytest.approx(2.35, abs=0.01)
    assert rows["Memory"].article_ratio == pytest.approx(0.67, abs=0.01)
    assert rows["Throughput"].our_ratio == "3.60 (3.50 to 3.70)"


def test_a_ratio_without_an_interval_says_so():
    assert ratio_text(Ratio(2.0, None, None)) == "2.00 (no interval)"
