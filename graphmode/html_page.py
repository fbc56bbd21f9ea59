"""A tool's findings as one HTML page that needs nothing else: no script, font or style sheet."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def rendered(folder: Path, **values: Any) -> str:  # noqa: ANN401
    """Fill in a folder's page.html; values are escaped, a missing one is an error."""
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(**values)
