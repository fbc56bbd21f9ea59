"""The result in words: what may be claimed, and how it stands beside the article's table."""

from dataclasses import dataclass

from loadtest.estimates import Ratio
from loadtest.summary import Comparison, Headline, Summary, TargetSummary

AUDIT = (
    'The article says "100 QPS of concurrent requests". By Little\'s law (requests in flight ='
    " throughput x mean latency) 100 requests always in flight would mean mean latencies of 549 and"
    " 234 ms, far above its P95s; a log-normal through its percentiles gives about 9.6 and 8.7 in"
    " flight. And 427 answers a second cannot come of 100 requests a second. Its numbers are"
    " therefore compared as ratios, under a load that is stated. TensorFlow Serving cannot run"
    " eagerly, so the eager row is a Python server that calls the Keras model operation by"
    " operation."
)


@dataclass(frozen=True)
class ArticleRow:
    """One measure of the article's table beside ours; ratios are graph over eager."""

    measure: str
    eager: str
    graph: str
    article_ratio: float
    our_ratio: str


_ARTICLE = (  # measure's key, name, unit, eager, graph
    ("p50", "P50", "ms", 42.0, 18.0),
    ("p95", "P95", "ms", 128.0, 41.0),
    ("throughput", "Throughput", "req/s", 182.0, 427.0),
    ("memory", "Memory", "GB", 1.2, 0.8),
)


def article_rows(comparison: Comparison | None) -> list[ArticleRow]:
    """The article's table, each measure with its ratio there and in a comparison of ours."""
    return [
        ArticleRow(
            name,
            f"{eager:g} {unit}",
            f"{graph:g} {unit}",
            graph / eager,
            ratio_text(comparison.ratios[key]) if comparison else "not measured",
        )
        for key, name, unit, eager, graph in _ARTICLE
    ]


def ratio_text(ratio: Ratio) -> str:
    """A ratio with its interval, or with the reason why it has none."""
    if ratio.low is None or ratio.high is None:
        return f"{ratio.value:.2f} (no interval)"
    return f"{ratio.value:.2f} ({ratio.low:.2f} to {ratio.high:.2f})"


def verdict(summary: Summary) -> str:
    """The headline as a sentence; begins with INVALID where it supports no claim."""
    headline = summary.headline
    if headline is None:
        return "One target ran, so nothing is compared."
    sentence = _claim(headline, summary)
    if headline.valid:
        return sentence
    return f"INVALID, not to be quoted: {sentence}"


def _claim(headline: Headline, summary: Summary) -> str:
    ratios = headline.ratios
    n = {target.name: target.n for target in summary.targets}
    machine = summary.manifest["machine"]
    return (
        f"{headline.candidate} answers {ratios['throughput'].value:.2f} times the requests of"
        f" {headline.baseline}, at {ratios['p50'].value:.2f} times its P50,"
        f" {ratios['p95'].value:.2f} times its P95 and {ratios['memory'].value:.2f} times its"
        f" memory ({headline.load['users']} users in a closed loop, the same JPEG bytes over"
        f" {str(headline.load['protocol']).upper()};"
        f" n = {n[headline.candidate]:,} against {n[headline.baseline]:,};"
        f" {machine['cpu']}, {machine['cores']} cores;"
        f" commit {summary.manifest['git_commit'][:12]})."
    )


def plain_table(summary: Summary) -> str:
    """The targets as a table of plain text, for a terminal."""
    heads = ("target", "P50 ms", "P95 ms", "P99 ms", "req/s", "ratio", "MB", "start s", "n", "")
    compared = {comparison.candidate: comparison for comparison in summary.comparisons}
    rows = [heads, *(_row(target, compared.get(target.name)) for target in summary.targets)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column in (0, len(heads) - 1) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _row(target: TargetSummary, comparison: Comparison | None) -> tuple[str, ...]:
    return (
        target.name,
        f"{target.p50_ms:.1f}",
        f"{target.p95_ms:.1f}",
        f"{target.p99_ms:.1f}",
        f"{target.throughput_rps:.1f}",
        f"{comparison.ratios['throughput'].value:.2f}" if comparison else "1.00",
        f"{target.memory_pss_mb.steady:.0f}",
        f"{target.cold_start_s:.2f}",
        f"{target.n:,}",
        "" if target.valid else f"INVALID: {target.reasons[0]}",
    )
