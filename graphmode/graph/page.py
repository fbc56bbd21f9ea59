"""A graph's facts as one HTML page that needs nothing else: no script, font or style sheet."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from graphmode.graph.facts import GraphFacts
from graphmode.graph.terminal import bytes_text, compared, summary_rows


def page(facts: GraphFacts) -> str:
    """Write the page, with the ops as bars before and after."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    ops = [
        (name, facts.before.ops.get(name, 0), facts.after.ops.get(name, 0))
        for name in compared(facts.before.ops, facts.after.ops)
    ]
    ops.sort(key=lambda row: -max(row[1:]))
    return environment.get_template("page.html").render(
        facts=facts,
        ops=ops,
        most=max((max(row[1:]) for row in ops), default=1),
        summary_rows=summary_rows(facts),
        bytes_text=bytes_text,
    )
