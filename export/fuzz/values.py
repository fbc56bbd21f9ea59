"""What to fill a shape with: numbers at the edges of their type, texts that are nearly photos."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import ml_dtypes
import numpy as np
import tensorflow as tf

from export.fuzz.encoded import cut, damaged, examples, grafted, photos
from export.fuzz.example_features import ENDLESS_EXAMPLE, endless_example
from export.fuzz.shapes import Shape

_MOST_TEXTS = 1024
"""Different texts in one tensor; a larger one repeats them."""

_MOST_TEXT_BYTES = 4_000_000
"""Of all texts in a tensor; they are cut to it."""

_WORDS = (
    b"0",
    b"-1.5",
    b"1e400",
    b"{}",
    b"a word",
    "h\u00e9llo \u4e16\u754c".encode(),
    b"\xff\xfe\x00",
    b"a" * 65_537,
)

Fill = Callable[[tf.DType, Shape, np.random.Generator], Any]


def can_be_sent(dtype: tf.DType) -> bool:
    """Whether a request can carry tensors of the type: not handles, not quantized ones."""
    return bool(dtype == tf.string or _is_number(dtype))


def ordinary(dtype: tf.DType, shape: Shape, random: np.random.Generator) -> Any:  # noqa: ANN401
    """What the input is for, as far as its type tells: 0..1, small counts, a photo, an Example."""
    if dtype == tf.string:
        corpus = (*photos(), *examples(), *_WORDS[:1])
        return texts(shape, lambda: _one_of(corpus, random))
    if dtype.is_floating or dtype.is_complex:
        return random.random(shape).astype(dtype.as_numpy_dtype)
    return random.integers(0, 2, shape).astype(dtype.as_numpy_dtype)


def odd_fills(dtype: tf.DType) -> Mapping[str, Fill]:
    """Ways to fill a tensor of the type with what a model does not expect, by name."""
    if dtype == tf.string:
        return _TEXT_FILLS
    if dtype.is_floating:
        return _FLOAT_FILLS
    if dtype == tf.bool or dtype.is_complex:
        return {"zeros": _constant(0), "ones": _constant(1)}
    return _INTEGER_FILLS


def texts(shape: Shape, make: Callable[[], bytes]) -> Any:  # noqa: ANN401
    """An array of texts that `make` makes, shortened where they would be too many bytes."""
    count = max(1, math.prod(shape))
    made = np.empty(min(count, _MOST_TEXTS), object)
    made[:] = [make()[: _MOST_TEXT_BYTES // count] for _ in made]
    return np.resize(made, shape)


def _is_number(dtype: tf.DType) -> bool:
    return bool(dtype.is_floating or dtype.is_complex or dtype.is_integer or dtype.is_bool)


def _constant(value: float) -> Fill:
    return lambda dtype, shape, _: np.full(shape, value, dtype.as_numpy_dtype)


def _limit(name: str) -> Fill:
    def fill(dtype: tf.DType, shape: Shape, _: np.random.Generator) -> Any:  # noqa: ANN401
        kind = dtype.as_numpy_dtype
        limits = ml_dtypes.finfo(kind) if dtype.is_floating else np.iinfo(kind)
        return np.full(shape, getattr(limits, name), kind)

    return fill


def _random_bits(dtype: tf.DType, shape: Shape, random: np.random.Generator) -> Any:  # noqa: ANN401
    data = random.bytes(math.prod(shape) * dtype.size)
    return np.frombuffer(data, dtype.as_numpy_dtype).reshape(shape)


def _made_of(make: Callable[[np.random.Generator], bytes]) -> Fill:
    return lambda _, shape, random: texts(shape, lambda: make(random))


def _one_of(corpus: tuple[bytes, ...], random: np.random.Generator) -> bytes:
    return corpus[random.integers(0, len(corpus))]


_FLOAT_FILLS: Mapping[str, Fill] = {
    "NaN": _constant(math.nan),
    "infinity": _constant(math.inf),
    "negative infinity": _constant(-math.inf),
    "largest number": _limit("max"),
    "lowest number": _limit("min"),
    "denormal numbers": _limit("smallest_subnormal"),
    "zeros": _constant(0),
    "random bits": _random_bits,
}

_INTEGER_FILLS: Mapping[str, Fill] = {
    "largest number": _limit("max"),
    "lowest number": _limit("min"),
    "zeros": _constant(0),
    "random bits": _random_bits,
}

_TEXT_FILLS: Mapping[str, Fill] = {
    "empty texts": _made_of(lambda _: b""),
    "random bytes": _made_of(lambda random: random.bytes(int(random.integers(0, 200)))),
    "words": _made_of(lambda random: _one_of(_WORDS, random)),
    "cut photos": _made_of(lambda random: cut(_one_of(photos(), random), random)),
    "damaged photos": _made_of(lambda random: damaged(_one_of(photos(), random), random)),
    "grafted photos": _made_of(
        lambda random: grafted(_one_of(photos(), random), _one_of(photos(), random), random)
    ),
    ENDLESS_EXAMPLE: _made_of(lambda _: endless_example(examples()[0])),
    "cut examples": _made_of(lambda random: cut(_one_of(examples(), random), random)),
    "damaged examples": _made_of(lambda random: damaged(_one_of(examples(), random), random)),
}
