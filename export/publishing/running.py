"""How each command of the models folder reads its flags and ends."""

import sys
from collections.abc import Callable
from typing import TypeVar

import tyro

from export.errors import ExportError

Config = TypeVar("Config")


def run_command(
    name: str, kind: type[Config], act: Callable[[Config], None], arguments: list[str]
) -> int:
    """Parses the flags and acts; 0, or 2 and a sentence for an error to be mended."""
    try:
        config = tyro.cli(
            kind, prog=f"python -m export {name}", args=arguments, use_underscores=True
        )
        act(config)
    except ExportError as error:
        print(f"export {name}: {error}", file=sys.stderr)
        return 2
    return 0
