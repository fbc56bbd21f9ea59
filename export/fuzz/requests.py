"""The requests of a fuzz: the same for the same seed, malformed ones foremost."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from export.fuzz.example_features import ENDLESS_EXAMPLE, endless_example
from export.fuzz.shapes import Declared, first_shapes, is_declared, random_shape, right_shape
from export.fuzz.values import odd_fills, ordinary, texts

_MOST_WELL_FORMED = 60
"""Requests that a guard lets through cost a run of the model: 40 ms for a ResNet-18."""

_Made = tuple[str, dict[str, Any]]
"""What is odd, and an array for each alias."""


@dataclass(frozen=True, kw_only=True)
class Input:
    """An input of a signature."""

    alias: str
    dtype: tf.DType
    declared: Declared


@dataclass(frozen=True, kw_only=True)
class Request:
    """An array for each input of a signature."""

    signature: str
    kind: str
    """What is odd about it."""

    values: Mapping[str, Any]
    """By alias."""

    fits: bool
    """Whether dtypes and shapes are those that the signature declares."""

    def described(self) -> dict[str, Any]:
        """All but the arrays, of which dtype and shape: little enough for a line."""
        inputs = {
            alias: ["string" if value.dtype == object else str(value.dtype), list(value.shape)]
            for alias, value in self.values.items()
        }
        return {
            "signature": self.signature,
            "kind": self.kind,
            "fits": self.fits,
            "inputs": inputs,
        }


def planned(
    signatures: Mapping[str, Sequence[Input]], requests: int, seed: int, example: bytes = b""
) -> Iterator[Request]:
    """As many requests as asked for, the signatures in turn.

    Args:
        signatures: inputs that a request can carry, at least one for each signature.
        requests: how many.
        seed: the same seed gives the same requests.
        example: a serialized Example that the graph can parse; empty where it parses none.
    """
    random = np.random.default_rng(seed)
    spacing = max(3, math.ceil(requests / _MOST_WELL_FORMED))
    streams = [
        _Maker(name, inputs, example, random).requests(spacing)
        for name, inputs in signatures.items()
    ]
    for index in range(requests):
        yield next(streams[index % len(streams)])


class _Maker:
    """Makes one signature's requests."""

    def __init__(
        self, name: str, inputs: Sequence[Input], example: bytes, random: np.random.Generator
    ) -> None:
        self._name = name
        self._inputs = inputs
        self._example = example
        self._random = random

    def requests(self, spacing: int) -> Iterator[Request]:
        """Endless: a request of the right shape, then `spacing - 1` malformed ones, and again."""
        right, wrong = self._right(), self._wrong()
        while True:
            for stream in (right, *[wrong] * (spacing - 1)):
                kind, values = next(stream)
                fits = all(_fits(each, values[each.alias]) for each in self._inputs)
                yield Request(signature=self._name, kind=kind, values=values, fits=fits)

    def _right(self) -> Iterator[_Made]:
        """The right shapes, with ordinary and with odd values in turn."""
        while True:
            yield "well-formed", self._ordinary()
            for each in self._inputs:
                for kind, fill in odd_fills(each.dtype).items():
                    values = self._ordinary()
                    odd = fill(each.dtype, values[each.alias].shape, self._random)
                    yield f"{each.alias}: {kind}", values | {each.alias: odd}
                    yield "well-formed", self._ordinary()

    def _wrong(self) -> Iterator[_Made]:
        """First every usual mistake in every input, then random ones, in one input or in all."""
        for each in self._inputs:
            for kind, value in (*self._first_shapes(each), *self._first_values(each)):
                yield f"{each.alias}: {kind}", self._ordinary() | {each.alias: value}
        while True:
            changed = [self._inputs[int(self._random.integers(0, len(self._inputs)))]]
            if self._random.random() < 0.25:
                changed = list(self._inputs)
            odd = [(each.alias, *self._odd(each)) for each in changed]
            kind = "; ".join(f"{alias}: {what}" for alias, what, _ in odd)
            yield kind, self._ordinary() | {alias: value for alias, _, value in odd}

    def _first_shapes(self, each: Input) -> Iterator[tuple[str, Any]]:
        for kind, shape in first_shapes(each.declared):
            yield kind, ordinary(each.dtype, shape, self._random)

    def _first_values(self, each: Input) -> Iterator[tuple[str, Any]]:
        right = right_shape(each.declared, 1, 1)
        other = tf.float32 if each.dtype == tf.string else tf.string
        yield "another dtype", ordinary(other, right, self._random)
        if each.dtype == tf.string and self._example:
            yield "an Example", texts(right, lambda: self._example)
            yield ENDLESS_EXAMPLE, texts(right, lambda: endless_example(self._example))

    def _odd(self, each: Input) -> tuple[str, Any]:
        """An array to refuse: of another shape, or texts that are damaged."""
        fills = odd_fills(each.dtype)
        filled = str(self._random.choice(list(fills)))
        kind, shape = random_shape(each.declared, self._random)
        if each.dtype == tf.string and self._random.random() < 0.75:
            rows = int(self._random.integers(1, 4))
            kind, shape = "right shape", right_shape(each.declared, rows, 1)
        elif self._random.random() < 0.5:
            return kind, ordinary(each.dtype, shape, self._random)
        return f"{kind}, {filled}", fills[filled](each.dtype, shape, self._random)

    def _ordinary(self) -> dict[str, Any]:
        """Open dimensions agree over all inputs, as a model with several would want it."""
        rows, size = int(self._random.integers(1, 4)), int(self._random.choice((1, 2, 8, 32)))
        return {
            each.alias: ordinary(each.dtype, right_shape(each.declared, rows, size), self._random)
            for each in self._inputs
        }


def _fits(each: Input, value: Any) -> bool:  # noqa: ANN401
    is_text = value.dtype == object
    return is_text == (each.dtype == tf.string) and is_declared(value.shape, each.declared)
