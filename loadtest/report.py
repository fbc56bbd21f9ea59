"""The report of a comparison as two pages: report.md, and report.html with its figures inside."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from loadtest.figures import Drawing
from loadtest.summary import Summary
from loadtest.verdict import AUDIT, article_rows, ratio_text, verdict


def write_report(folder: Path, summary: Summary, figures: Sequence[Drawing]) -> None:
    """Writes report.md and report.html into a result's folder."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=jinja2.select_autoescape(["html"]),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    page = _page(summary, figures)
    for name in ("report.md", "report.html"):
        (folder / name).write_text(environment.get_template(name).render(page))


def _page(summary: Summary, figures: Sequence[Drawing]) -> dict[str, Any]:
    return {
        "verdict": verdict(summary),
        "headline": summary.headline,
        "targets": summary.targets,
        "comparisons": summary.comparisons,
        "compared": {comparison.candidate: comparison for comparison in summary.comparisons},
        "article": article_rows(summary.headline),
        "audit": AUDIT,
        "figures": figures,
        # The figures are our own markup; every text within them is escaped where they are drawn.
        "drawn": {figure.name: Markup(figure.svg) for figure in figures},  # noqa: S704
        "manifest": summary.manifest,
        "ratio_text": ratio_text,
    }
