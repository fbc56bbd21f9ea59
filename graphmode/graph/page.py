"""A graph's facts as one HTML page."""

from pathlib import Path

from graphmode.graph.facts import GraphFacts
from graphmode.graph.terminal import bytes_text, compared, summary_rows
from graphmode.html_page import rendered


def page(facts: GraphFacts) -> str:
    """Write the page, with the ops as bars before and after."""
    ops = [
        (name, facts.before.ops.get(name, 0), facts.after.ops.get(name, 0))
        for name in compared(facts.before.ops, facts.after.ops)
    ]
    ops.sort(key=lambda row: -max(row[1:]))
    return rendered(
        Path(__file__).parent,
        facts=facts,
        ops=ops,
        most=max((max(row[1:]) for row in ops), default=1),
        summary_rows=summary_rows(facts),
        bytes_text=bytes_text,
    )
