"""Requests that a signature might answer, most likely ones first."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from export.fuzz.encoded import photos
from export.fuzz.shapes import right_shape

_ROWS = 2
_SIZES = (2, 32, 224, 1)
"""Of the other open dimensions: pictures of 32 and 224 pixels, or anything."""

_RANKS = (2, 1, 4, 0)
"""Where the signature does not say the rank."""

_ORDINARY_TEXTS = (b"", b"0", b"a word")


def samples(infos: Mapping[str, Any], example: bytes) -> Iterator[dict[str, Any]]:
    """Arrays by alias, in turn until one is answered.

    Args:
        infos: TensorInfo of each input, by alias.
        example: a serialized Example that the graph can parse.
    """
    has_texts = any(info.dtype == tf.string.as_datatype_enum for info in infos.values())
    texts = (photos()[0], example, *_ORDINARY_TEXTS) if has_texts else (b"",)
    has_ranks = all(not info.tensor_shape.unknown_rank for info in infos.values())
    for rank in _RANKS[:1] if has_ranks else _RANKS:
        for size in _SIZES:
            for text in texts:
                yield {alias: _value(info, rank, size, text) for alias, info in infos.items()}


def _value(info: Any, rank: int, size: int, text: bytes) -> Any:  # noqa: ANN401
    declared: list[int | None] = [None] * rank
    if not info.tensor_shape.unknown_rank:
        declared = [None if dim.size < 0 else dim.size for dim in info.tensor_shape.dim]
    shape = right_shape(tuple(declared), _ROWS, size)
    dtype = tf.dtypes.as_dtype(info.dtype)
    if dtype == tf.string:
        texts = np.empty(shape, object)
        texts.fill(text)  # np.full would take NULs off its end
        return texts
    if dtype.is_floating or dtype.is_complex:
        return np.random.default_rng(0).random(shape).astype(dtype.as_numpy_dtype)
    return np.zeros(shape, dtype.as_numpy_dtype)
