"""Shapes for a signature's inputs: those that it declares, and all that a client may send."""

import math
from collections.abc import Iterator

import numpy as np

Shape = tuple[int, ...]
Declared = tuple[int | None, ...] | None
"""A signature's shape, open dimensions None; None where not even the rank is known."""

MOST_ELEMENTS = 4_000_000
_MOST_RANK = 5
_SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 64)
_LARGE_SIZES = (255, 4097, 65_537, 1_000_003)


def right_shape(declared: Declared, rows: int, size: int) -> Shape:
    """A shape that the signature accepts.

    Args:
        declared: by the signature.
        rows: of the first dimension, where it is open.
        size: of every other open dimension.
    """
    if declared is None:
        return (rows, size)
    filled = [size if dim is None else dim for dim in declared]
    if filled and declared[0] is None:
        filled[0] = rows
    return tuple(filled)


def is_declared(shape: Shape, declared: Declared) -> bool:
    """Whether a signature accepts the shape."""
    if declared is None:
        return True
    return len(shape) == len(declared) and all(
        dim is None or size == dim for size, dim in zip(shape, declared, strict=True)
    )


def first_shapes(declared: Declared) -> Iterator[tuple[str, Shape]]:
    """Each rank from 0 to 5, each dimension empty, each a little off; with what it is."""
    right = right_shape(declared, 1, 4)
    for rank in range(_MOST_RANK + 1):
        yield f"rank {rank}", (1,) * rank
    yield "all dimensions empty", (0,) * len(right)
    for axis, size in enumerate(right):
        yield f"dimension {axis} empty", _with(right, axis, 0)
        yield f"dimension {axis} one more", _with(right, axis, size + 1)
        yield f"dimension {axis} one less", _with(right, axis, max(0, size - 1))
        yield f"without dimension {axis}", right[:axis] + right[axis + 1 :]
        yield f"dimension {axis} doubled", (*right[:axis], 1, *right[axis:])


def random_shape(declared: Declared, random: np.random.Generator) -> tuple[str, Shape]:
    """A shape of at most MOST_ELEMENTS elements, rarely a large one; with what it is."""
    right = right_shape(declared, int(random.integers(1, 4)), 4)
    chance = random.random()
    if chance < 0.5 or not right:
        rank = int(random.integers(0, _MOST_RANK + 1))
        return "random shape", bounded(tuple(int(size) for size in random.choice(_SIZES, rank)))
    axis = int(random.integers(0, len(right)))
    if chance < 0.99:
        return f"dimension {axis} random", bounded(_with(right, axis, int(random.choice(_SIZES))))
    large = _with((1,) * len(right), axis, int(random.choice(_LARGE_SIZES)))
    return f"dimension {axis} large", large


def bounded(shape: Shape) -> Shape:
    """The shape, its last dimensions made 1 until it has at most MOST_ELEMENTS elements."""
    dims = list(shape)
    for axis in reversed(range(len(dims))):
        if math.prod(dims) > MOST_ELEMENTS:
            dims[axis] = 1
    return tuple(dims)


def _with(shape: Shape, axis: int, size: int) -> Shape:
    return (*shape[:axis], size, *shape[axis + 1 :])
