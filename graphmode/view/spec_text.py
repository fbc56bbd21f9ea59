"""A tensor's shape and dtype as text: `[None,224,224,3]:float32`."""

import re

import tensorflow as tf

from graphmode.errors import GraphmodeError

_SPEC = re.compile(r"\[(?P<dims>[^\]]*)\](?::(?P<dtype>\w+))?")


def parse_spec(text: str) -> tf.TensorSpec:
    """Read `[DIM,DIM,...]:DTYPE`; a dimension is a number or None, the dtype float32 if left out.

    Raises:
        GraphmodeError: the text is not of this form, or names an unknown dtype.
    """
    match = _SPEC.fullmatch(text.replace(" ", ""))
    if match is None:
        raise GraphmodeError(f"shape {text!r}: expected [DIM,DIM,...]:DTYPE, as [None,3]:float32")
    dims = [_dimension(dim, text) for dim in match["dims"].split(",") if dim]
    dtype = match["dtype"] or "float32"
    try:
        return tf.TensorSpec(dims, tf.dtypes.as_dtype(dtype))
    except TypeError as error:
        raise GraphmodeError(f"shape {text!r}: {dtype!r} is no dtype of TensorFlow") from error


def spec_text(spec: tf.TensorSpec) -> str:
    """Write what `parse_spec` reads; a spec of unknown rank is `[...]`."""
    if spec.shape.rank is None:
        return f"[...]:{spec.dtype.name}"
    return f"[{','.join(str(dim) for dim in spec.shape)}]:{spec.dtype.name}"


def _dimension(dim: str, text: str) -> int | None:
    if dim == "None":
        return None
    if not dim.isdecimal():
        raise GraphmodeError(f"shape {text!r}: dimension {dim!r} is neither a number nor None")
    return int(dim)
