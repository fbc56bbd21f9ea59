"""`python -m graphmode graph TARGET`: a graph before and after TensorFlow optimises it."""

import dataclasses
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro
from rich.console import Console

from graphmode.errors import GraphmodeError

if TYPE_CHECKING:
    from graphmode.graph.facts import GraphFacts


@dataclass(frozen=True, kw_only=True)
class GraphConfig:
    """Show a graph before and after TensorFlow optimises it. The graph is run once."""

    target: tyro.conf.Positional[str]
    """A SavedModel's folder, or a function: package.module:function or path/file.py:function."""
    signature: str = "serving_default"
    """Which signature of a SavedModel."""
    shape: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """Trace a function for this input, as "[None,224,224,3]:float32"; once for each argument."""
    input: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """NAME=FILE: run with a .npy array, or with a file's bytes as a string, instead of numbers."""
    html: Path | None = None
    """Write one self-contained page here instead of to the terminal."""
    json: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Print the facts as JSON."""
    netron: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Then show the optimised graph in Netron, on 127.0.0.1, until Ctrl-C."""


def main(arguments: list[str] | None = None) -> int:
    """Show a graph.

    Returns:
        0 when it was shown, 2 where the user must mend something.
    """
    try:
        config = tyro.cli(
            GraphConfig, prog="python -m graphmode graph", args=arguments, use_underscores=True
        )
        facts = _read(config)
        _show(facts, config)
        if config.netron:
            _serve(facts)
    except GraphmodeError as error:
        print(f"graph: {error}", file=sys.stderr)
        return 2
    return 0


def _read(config: GraphConfig) -> "GraphFacts":
    # TensorFlow takes seconds to import, which a wrong flag need not wait for.
    from graphmode.graph.function_graph import graph_facts  # noqa: PLC0415
    from graphmode.graph.sample_inputs import parse_files  # noqa: PLC0415
    from graphmode.graph.saved_model_graph import saved_model_facts  # noqa: PLC0415
    from graphmode.target import resolve  # noqa: PLC0415
    from graphmode.view.spec_text import parse_spec  # noqa: PLC0415

    files = parse_files(config.input)
    folder = Path(config.target)
    if folder.is_dir():
        return saved_model_facts(folder, config.signature, files)
    if ":" not in config.target:
        raise GraphmodeError(f"{folder}: no such folder, and a function is named MODULE:FUNCTION")
    specs = [parse_spec(text) for text in config.shape]
    return graph_facts(resolve(config.target), specs, name=config.target, files=files)


def _show(facts: "GraphFacts", config: GraphConfig) -> None:
    from graphmode.graph.page import page  # noqa: PLC0415
    from graphmode.graph.terminal import print_facts  # noqa: PLC0415

    if config.json:
        known = dataclasses.asdict(facts)
        del known["optimised"]
        print(json.dumps(known))
    if config.html is not None:
        try:
            config.html.write_text(page(facts), encoding="utf-8")
        except OSError as error:
            raise GraphmodeError(f"--html {config.html}: {error.strerror}") from error
        print(config.html)
    if not config.json and config.html is None:
        print_facts(facts, Console())


def _serve(facts: "GraphFacts") -> None:
    from graphmode.graph.netron_page import serve_in_netron  # noqa: PLC0415

    serve_in_netron(facts)
