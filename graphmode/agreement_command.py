"""`python -m graphmode agreement MODEL`: a model in eager, graph and XLA."""

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import tyro
from rich.console import Console
from rich.table import Table

from graphmode.errors import GraphmodeError

if TYPE_CHECKING:
    from graphmode.agreement import Agreement


@dataclass(frozen=True, kw_only=True)
class AgreementConfig:
    """Compare a model's outputs, first loss and first gradients in graph and XLA with eager."""

    model: tyro.conf.Positional[str]
    """package.module:factory or path/file.py:factory (or a model's name), or a file.keras."""
    rows: int = 2
    """Rows of the drawn batch; an input's other unknown sides are 8."""
    json: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Print JSON instead of a table."""


def main(arguments: list[str] | None = None) -> int:
    """Compare a model's modes.

    Returns:
        0 when they agree, 1 when one differs or is refused, 2 when the model cannot be run.
    """
    config = tyro.cli(
        AgreementConfig, prog="python -m graphmode agreement", args=arguments, use_underscores=True
    )
    try:
        found = _compare(config)
    except GraphmodeError as error:
        print(f"agreement: {error}", file=sys.stderr)
        return 2
    if config.json:
        print(json.dumps(found.to_json()))
    else:
        Console().print(_table(found))
    return 0 if found.agrees else 1


def _compare(config: AgreementConfig) -> "Agreement":
    # TensorFlow takes seconds to import, which a wrong flag need not wait for.
    from graphmode.agreement import compare_modes  # noqa: PLC0415

    model = _model(config.model)
    if not getattr(model, "inputs", None):
        raise GraphmodeError(f"{config.model}: expected a built Keras model, came {model!r}")
    return compare_modes(model, [_drawn(model, config.rows)])


def _model(name: str) -> Any:  # noqa: ANN401
    import keras  # noqa: PLC0415

    from graphmode.target import resolve  # noqa: PLC0415

    if not name.endswith(".keras"):
        found: Any = resolve(name)
        return found if isinstance(found, keras.Model) else found()
    try:
        return keras.saving.load_model(name, compile=False)
    except (OSError, ValueError) as error:
        raise GraphmodeError(f"{name}: {error}") from error


def _drawn(model: Any, rows: int) -> Any:  # noqa: ANN401
    """Draw one batch in 0..1 (whole numbers are 0), in the structure of the model's inputs."""
    import tensorflow as tf  # noqa: PLC0415

    def one(wanted: Any) -> Any:  # noqa: ANN401
        shape = [rows, *(8 if side is None else side for side in wanted.shape[1:])]
        return tf.cast(tf.random.stateless_uniform(shape, seed=[0, 0]), wanted.dtype)

    inputs = tf.nest.map_structure(one, model.inputs)
    return inputs[0] if len(inputs) == 1 else inputs


def _table(found: "Agreement") -> Table:
    table = Table("mode", "quantity", "verdict", "largest difference", "tolerance", "where")
    for row in found.rows:
        figures = ("" if one is None else f"{one:.1e}" for one in (row.difference, row.tolerance))
        table.add_row(row.mode, row.quantity, row.verdict, *figures, row.where)
    return table
