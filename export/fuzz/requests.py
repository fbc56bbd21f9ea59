"""The requests of a fuzz: the same for the same seed, malformed ones foremost."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from export.fuzz.shapes import Declared, first_shapes, is_declared, random_shape, right_shape
from export.fuzz.values import odd_fills, ordinary

_MOST_WELL_FORMED = 60
"""Requests that a guard lets through cost a run of the model: 40 ms for a ResNet-18."""


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
    signatures: Mapping[str, Sequence[Input]], requests: int, seed: int
) -> Iterator[Request]:
    """As many requests as asked for, the signatures in turn.

    Args:
        signatures: inputs that a request can carry, at least one for each signature.
        requests: how many.
        seed: the same seed gives the same requests.
    """
    random = np.random.default_rng(seed)
    spacing = max(3, math.ceil(requests / _MOST_WELL_FORMED))
    streams = [_stream(name, inputs, spacing, random) for name, inputs in signatures.items()]
    for index in range(requests):
        yield next(streams[index % len(streams)])


def _stream(
    name: str, inputs: Sequence[Input], spacing: int, random: np.random.Generator
) -> Iterator[Request]:
    """Endless: a request of the right shape, then `spacing - 1` malformed ones, and again."""
    right, wrong = _right(inputs, random), _wrong(inputs, random)
    while True:
        for stream in (right, *[wrong] * (spacing - 1)):
            kind, values = next(stream)
            fits = all(
                is_declared(values[each.alias].shape, each.declared)
                and (values[each.alias].dtype == object) == (each.dtype == tf.string)
                for each in inputs
            )
            yield Request(signature=name, kind=kind, values=values, fits=fits)


def _right(
    inputs: Sequence[Input], random: np.random.Generator
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The right shapes, with ordinary and with odd values in turn."""
    while True:
        yield "well-formed", _ordinary(inputs, random)
        for each in inputs:
            for kind, fill in odd_fills(each.dtype).items():
                values = _ordinary(inputs, random)
                shape = values[each.alias].shape
                yield (
                    f"{each.alias}: {kind}",
                    values | {each.alias: fill(each.dtype, shape, random)},
                )
                yield "well-formed", _ordinary(inputs, random)


def _wrong(
    inputs: Sequence[Input], random: np.random.Generator
) -> Iterator[tuple[str, dict[str, Any]]]:
    """First every usual mistake in every input, then random ones, in one input or in all."""
    for each in inputs:
        for kind, shape in first_shapes(each.declared):
            value = ordinary(each.dtype, shape, random)
            yield f"{each.alias}: {kind}", _ordinary(inputs, random) | {each.alias: value}
        other = tf.float32 if each.dtype == tf.string else tf.string
        value = ordinary(other, right_shape(each.declared, 1, 1), random)
        yield f"{each.alias}: another dtype", _ordinary(inputs, random) | {each.alias: value}
    while True:
        changed = [inputs[int(random.integers(0, len(inputs)))]]
        if random.random() < 0.25:
            changed = list(inputs)
        odd = [(each.alias, *_odd(each, random)) for each in changed]
        kind = "; ".join(f"{alias}: {what}" for alias, what, _ in odd)
        yield kind, _ordinary(inputs, random) | {alias: value for alias, _, value in odd}


def _odd(each: Input, random: np.random.Generator) -> tuple[str, Any]:
    """An array to refuse: of another shape, or texts that are damaged."""
    fills = odd_fills(each.dtype)
    filled = str(random.choice(list(fills)))
    kind, shape = random_shape(each.declared, random)
    if each.dtype == tf.string and random.random() < 0.75:
        kind, shape = "right shape", right_shape(each.declared, int(random.integers(1, 4)), 1)
    elif random.random() < 0.5:
        return kind, ordinary(each.dtype, shape, random)
    return f"{kind}, {filled}", fills[filled](each.dtype, shape, random)


def _ordinary(inputs: Sequence[Input], random: np.random.Generator) -> dict[str, Any]:
    """Open dimensions agree over all inputs, as a model with several would want it."""
    rows, size = int(random.integers(1, 4)), int(random.choice((1, 2, 8, 32)))
    return {
        each.alias: ordinary(each.dtype, right_shape(each.declared, rows, size), random)
        for each in inputs
    }
