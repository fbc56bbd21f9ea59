"""A function's view as one HTML page."""

import io
from collections.abc import Iterable
from pathlib import Path

from markupsafe import Markup
from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import PythonLexer  # type: ignore[import-untyped]

from graphmode.html_page import rendered
from graphmode.view.function_view import FunctionView
from graphmode.view.pairing import Pair, is_scaffolding, pair_lines


def page(view: FunctionView) -> str:
    """Write the page of a function and of the ones that were viewed with it."""
    return rendered(
        Path(__file__).parent,
        views=(view, *view.inner),
        pairs=_pairs,
        coloured=_coloured,
        is_scaffolding=is_scaffolding,
    )


def _pairs(view: FunctionView) -> tuple[Pair, ...]:
    """The blocks of a view; one with the source alone where nothing was generated."""
    if view.source is None:
        return ()
    if view.generated is None:
        return (Pair(origin=None, source=tuple(view.source.numbered), generated=()),)
    return pair_lines(view.source, view.generated)


def _coloured(lines: Iterable[str]) -> list[Markup]:
    """Each line as HTML, its words in spans with pygments' class names."""
    text = io.StringIO()
    lexer = PythonLexer(stripnl=False, stripall=False)
    highlight("\n".join(lines), lexer, HtmlFormatter(nowrap=True), outfile=text)
    # pygments escapes what it is given, and closes its spans at the end of each line.
    return [Markup(line) for line in text.getvalue().split("\n")]  # noqa: S704
