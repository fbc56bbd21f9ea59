"""Inputs made from a signature, so that a graph can be run once without data."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from graphmode.errors import GraphmodeError

ROWS = 1
"""Size of each dimension that the signature leaves open."""


def sample_input(name: str, spec: tf.TensorSpec, files: Mapping[str, Path]) -> Any:  # noqa: ANN401
    """Make a value that a signature accepts: from a file where one is named, else numbers.

    Args:
        name: of the input.
        spec: its dtype and shape.
        files: for inputs by name: a `.npy` array, or a file whose bytes are one string.

    Raises:
        GraphmodeError: the rank is not known, a file cannot be read or does not fit.
    """
    if name in files:
        return _from_file(name, spec, files[name])
    if spec.shape.rank is None:
        raise GraphmodeError(
            f"input {name}: its shape is not known; give one with --shape, or --input {name}=FILE"
        )
    shape = [ROWS if dim is None else dim for dim in spec.shape]
    if spec.dtype == tf.string:
        return np.full(shape, b"")
    if spec.dtype.is_floating or spec.dtype.is_complex:
        return np.random.default_rng(0).random(shape).astype(spec.dtype.as_numpy_dtype)
    return np.zeros(shape, spec.dtype.as_numpy_dtype)


def parse_files(texts: tuple[str, ...]) -> dict[str, Path]:
    """Read each `NAME=FILE`.

    Raises:
        GraphmodeError: a text has another form.
    """
    pairs = [text.partition("=") for text in texts]
    wrong = next((name for name, equals, file in pairs if not (name and equals and file)), None)
    if wrong is not None:
        raise GraphmodeError(f"--input {wrong!r}: expected NAME=FILE")
    return {name: Path(file) for name, _, file in pairs}


def _from_file(name: str, spec: tf.TensorSpec, file: Path) -> Any:  # noqa: ANN401
    try:
        if file.suffix == ".npy":
            value = np.load(file)
        else:
            rank = spec.shape.rank or 0
            value = np.full([1] * rank, np.array(file.read_bytes(), dtype=object))
    except (OSError, ValueError) as error:
        raise GraphmodeError(f"--input {name}={file}: {error}") from error
    if not spec.shape.is_compatible_with(value.shape):
        raise GraphmodeError(
            f"--input {name}={file}: expected shape {spec.shape}, its array has {value.shape}"
        )
    return value
