"""`python -m graphmode probe FUNCTION`: what a function's trace froze."""

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from graphmode.errors import GraphmodeError

if TYPE_CHECKING:
    from graphmode.probe import ProbeReport


@dataclass(frozen=True, kw_only=True)
class ProbeConfig:
    """Run a function on zeros to ones, changing one value at a time that it reads."""

    function: tyro.conf.Positional[str]
    """package.module:function, path/file.py:function or module:instance.method."""
    shape: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """An argument, as "[2,224,224,3]:float32"; once for each. By default the input_signature."""
    json: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Print JSON instead of lines."""


def main(arguments: list[str] | None = None) -> int:
    """Probe a function.

    Returns:
        0 when its trace froze nothing, 1 when it did, 2 when the function cannot be run.
    """
    config = tyro.cli(
        ProbeConfig, prog="python -m graphmode probe", args=arguments, use_underscores=True
    )
    try:
        report = _probe(config)
    except GraphmodeError as error:
        print(f"probe: {error}", file=sys.stderr)
        return 2
    if config.json:
        print(json.dumps(report.to_json()))
    else:
        for one in report.findings:
            print(f"{one.source}: {one.verdict}: {one.cure}")
        print(f"{report.tried} sources tried")
    return 1 if report.is_frozen else 0


def _probe(config: ProbeConfig) -> "ProbeReport":
    # TensorFlow takes seconds to import, which a wrong flag need not wait for.
    from graphmode.probe import probe  # noqa: PLC0415
    from graphmode.target import resolve  # noqa: PLC0415
    from graphmode.view.spec_text import parse_spec  # noqa: PLC0415

    function: Any = resolve(config.function)
    specs = [parse_spec(text) for text in config.shape]
    specs = specs or list(getattr(function, "input_signature", None) or ())
    return probe(function, *[_drawn(spec) for spec in specs])


def _drawn(spec: Any) -> Any:  # noqa: ANN401
    """Draw numbers in 0..1 (whole numbers are 0); an unknown side is 2."""
    import tensorflow as tf  # noqa: PLC0415

    if not hasattr(spec, "shape") or spec.shape.rank is None or spec.dtype == tf.string:
        raise GraphmodeError(f"{spec}: expected a numeric tensor of known rank; give --shape")
    shape = [2 if side is None else side for side in spec.shape]
    return tf.cast(tf.random.stateless_uniform(shape, seed=[0, 0]), spec.dtype)
