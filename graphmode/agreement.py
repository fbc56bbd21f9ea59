"""Whether a model computes the same in eager, graph and XLA, from the same weights.

    weights --copy--> eager --put back--> graph --put back--> xla --put back--> as they were
                        |                   |                  |
                        forward, first loss, first gradients: compared with eager's

Later steps say nothing: rounding alone grows from step to step until the runs have parted.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from graphmode.errors import GraphmodeError

MODES = ("eager", "graph", "xla")

TOLERANCES = {"float64": 1e-12, "float32": 1e-5, "float16": 1e-2, "bfloat16": 3.2e-2}
"""Largest difference relative to the largest eager value, for outputs and loss.

float32 is the usual rtol of 1e-5, some 80 units of rounding (2**-23); float16 and bfloat16 are ten
and four of theirs (2**-10, 2**-7), since sums are kept in float32; float64 is 4,500 of 2**-52.
"""

GRADIENT_FACTOR = 100
"""Gradients sum over batch and pixels, mostly numbers that cancel out: they get more room."""

SMALLEST_SCALE = 1e-2
"""Of the largest of all outputs or gradients: a value's own scale counts for no less.

A bias before batch norm has a gradient of zero, of which only rounding is left to compare.
"""

_COMPILER_SETTINGS = r"\[_XlaMustCompile[^\]]*\]"

Loss = Callable[[Any], tf.Tensor]
Values = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Row:
    """One quantity in one mode against eager's; `difference` is relative to eager's largest."""

    mode: str
    quantity: str
    verdict: str
    difference: float | None = None
    tolerance: float | None = None
    where: str = ""


@dataclass(frozen=True)
class Agreement:
    """What `compare_modes` found."""

    rows: tuple[Row, ...]

    @property
    def agrees(self) -> bool:
        """Whether each mode ran and stayed within the tolerance."""
        return all(row.verdict == "agrees" for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        """Give rows and verdict as JSON takes them."""
        return {"agrees": self.agrees, "rows": [asdict(row) for row in self.rows]}


def compare_modes(
    model: Callable[..., Any],
    inputs: Sequence[Any],
    *,
    loss: Loss | None = None,
    variables: Sequence[Any] | None = None,
    modes: Sequence[str] = ("graph", "xla"),
) -> Agreement:
    """Compare each mode with eager; all variables are put back, also after an error.

    Args:
        model: a built Keras model, or a callable; a callable must do the same at each call.
        inputs: its positional arguments.
        loss: from the model's outputs to a scalar; by default their mean square.
        variables: those that the callable trains or changes; by default `model.variables`.
        modes: of "graph" and "xla".

    Raises:
        GraphmodeError: the model cannot be run eagerly, or a mode is unknown.
    """
    if unknown := set(modes) - set(MODES):
        raise GraphmodeError(f"modes {sorted(unknown)}: expected some of {', '.join(MODES)}")
    held = list(getattr(model, "variables", ()) if variables is None else variables)
    saved = [tf.identity(variable) for variable in held]
    forward, gradients = _functions(model, loss or _mean_square, held)

    def values_in(mode: str) -> Values:
        try:
            return _named(_in_mode(forward, mode)(*inputs), _in_mode(gradients, mode)(*inputs))
        finally:
            for variable, value in zip(held, saved, strict=True):
                variable.assign(value)

    try:
        eager = values_in("eager")
    except Exception as error:
        raise GraphmodeError(f"the model fails in eager mode: {_reason(error)}") from error
    dtype = str(getattr(model, "compute_dtype", "float64"))
    return Agreement(tuple(row for mode in modes for row in _rows(mode, values_in, eager, dtype)))


def agreement_facts(
    model: Callable[..., Any],
    inputs: Sequence[Any],
    loss: Loss | None = None,
    modes: Sequence[str] = ("graph",),
) -> dict[str, Any]:
    """Give the verdict and the largest difference by mode and quantity, for a record in JSON."""
    found = compare_modes(model, inputs, loss=loss, modes=modes)
    return {
        "agrees": found.agrees,
        **{f"{row.mode}_{row.quantity}": row.difference for row in found.rows},
    }


def _functions(
    model: Callable[..., Any], loss: Loss, held: Sequence[Any]
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    trained = [variable for variable in held if getattr(variable, "trainable", True)]
    names = [f"{n} {getattr(one, 'path', one.name)}" for n, one in enumerate(trained)]
    # Keras's layers take `training`; another callable need not.
    is_keras = hasattr(model, "trainable_variables") and hasattr(model, "compute_dtype")

    def call(inputs: Sequence[Any], *, training: bool) -> Any:  # noqa: ANN401
        return model(*inputs, training=training) if is_keras else model(*inputs)

    def forward(*inputs: Any) -> Any:  # noqa: ANN401
        return call(inputs, training=False)

    def gradients(*inputs: Any) -> Any:  # noqa: ANN401
        with tf.GradientTape() as tape:
            value = loss(call(inputs, training=True))
        found = tape.gradient(
            value, [one if isinstance(one, tf.Variable) else one.value for one in trained]
        )
        return value, {
            name: tf.convert_to_tensor(gradient)
            for name, gradient in zip(names, found, strict=True)
            if gradient is not None
        }

    return forward, gradients


def _mean_square(outputs: Any) -> tf.Tensor:  # noqa: ANN401
    floats = [one for one in tf.nest.flatten(outputs) if one.dtype.is_floating]
    return tf.add_n([tf.reduce_mean(tf.square(tf.cast(one, tf.float32))) for one in floats])


def _in_mode(function: Callable[..., Any], mode: str) -> Callable[..., Any]:
    if mode == "eager":
        return function
    return tf.function(function, jit_compile=mode == "xla" or None)


def _named(outputs: Any, step: tuple[Any, dict[str, Any]]) -> Values:  # noqa: ANN401
    flat = {f"output {number}": one for number, one in enumerate(tf.nest.flatten(outputs))}
    return {"forward": flat, "loss": {"loss": step[0]}, "gradients": step[1]}


def _rows(
    mode: str, values_in: Callable[[str], Values], eager: Values, dtype: str
) -> Iterator[Row]:
    try:
        values = values_in(mode)
    # Whatever a mode refuses, in its tracing, compiling or running, is what was asked for.
    except Exception as error:  # noqa: BLE001
        yield Row(mode, "all", "refused", where=_reason(error))
        return
    for quantity, expected in eager.items():
        if expected:
            yield _row(mode, quantity, expected, values[quantity], dtype)


def _row(
    mode: str, quantity: str, expected: dict[str, Any], got: dict[str, Any], dtype: str
) -> Row:
    factor = GRADIENT_FACTOR if quantity == "gradients" else 1
    found = []
    floor = SMALLEST_SCALE * max(_scale(value) for value in expected.values())
    for name, value in expected.items():
        kinds = (dtype, value.dtype.name)
        tolerance = max(TOLERANCES.get(kind, 0.0) for kind in kinds) * factor
        difference, index = _largest_difference(value, got[name], floor)
        # A NaN on one side is the largest difference of all.
        found.append((difference / tolerance, difference, tolerance, f"{name} {index}"))
    share, difference, tolerance, where = max(found)
    return Row(mode, quantity, "agrees" if share <= 1 else "differs", difference, tolerance, where)


def _largest_difference(
    expected: Any,  # noqa: ANN401
    got: Any,  # noqa: ANN401
    floor: float,
) -> tuple[float, list[int]]:
    ours, theirs = (np.asarray(tf.cast(one, tf.float64)) for one in (expected, got))
    if ours.shape != theirs.shape:
        return float("inf"), []
    if not ours.size:
        return 0.0, []
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    apart = np.where(same, 0.0, np.nan_to_num(np.abs(ours - theirs), nan=np.inf))
    scale = max(_scale(expected), floor) or 1.0
    index = [int(place) for place in np.unravel_index(int(np.argmax(apart)), apart.shape)]
    return float(apart.max()) / scale, index


def _scale(value: Any) -> float:  # noqa: ANN401
    """The largest magnitude, what is not finite left out."""
    numbers = np.abs(np.asarray(tf.cast(value, tf.float64)))
    return float(np.max(numbers, where=np.isfinite(numbers), initial=0.0))


def _reason(error: Exception) -> str:
    """Give the sentence that says why: AutoGraph has it last, Keras second, XLA first."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [""]
    if lines[0] == "in user code:":
        line = lines[-1]
    else:
        line = lines[1] if "Exception encountered" in lines[0] and lines[1:] else lines[0]
    return f"{type(error).__name__}: {re.sub(_COMPILER_SETTINGS, '', line)}"[:300]
