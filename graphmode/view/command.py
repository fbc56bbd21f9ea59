"""`python -m graphmode view FUNCTION`: what AutoGraph made of a function, beside its source."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from graphmode.errors import GraphmodeError


@dataclass(frozen=True, kw_only=True)
class ViewConfig:
    """Show what AutoGraph made of a function, and what it left alone. The function is not run."""

    function: tyro.conf.Positional[str]
    """package.module:function, path/file.py:function, module:Class.method or module:instance."""
    html: Path | None = None
    """Write one self-contained page here instead of to the terminal."""
    recursive: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Also show the converted functions that it calls, one level deep."""
    shape: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """Trace it for this input, as "[None,224,224,3]:float32"; once for each argument."""


def main(arguments: list[str] | None = None) -> int:
    """Show a function.

    Returns:
        0 when it was shown, converted or not; 2 when there was nothing to show.
    """
    try:
        config = tyro.cli(
            ViewConfig, prog="python -m graphmode view", args=arguments, use_underscores=True
        )
        _show(config)
    except GraphmodeError as error:
        print(f"view: {error}", file=sys.stderr)
        return 2
    return 0


def _show(config: ViewConfig) -> None:
    # TensorFlow takes seconds to import, which a wrong flag need not wait for.
    from graphmode.target import resolve  # noqa: PLC0415
    from graphmode.view.function_view import view_function  # noqa: PLC0415
    from graphmode.view.page import page  # noqa: PLC0415
    from graphmode.view.spec_text import parse_spec  # noqa: PLC0415
    from graphmode.view.terminal import print_view  # noqa: PLC0415

    specs = tuple(parse_spec(text) for text in config.shape)
    target = resolve(config.function)
    path, _, attribute = config.function.rpartition(":")
    outer, _, _ = attribute.rpartition(".")
    view = view_function(
        target,
        attribute,
        parent=resolve(f"{path}:{outer}") if outer else None,
        specs=specs,
        is_recursive=config.recursive,
    )
    if config.html is None:
        print_view(view, Console())
        return
    try:
        config.html.write_text(page(view), encoding="utf-8")
    except OSError as error:
        raise GraphmodeError(f"--html {config.html}: {error.strerror}") from error
    print(config.html)
