"""What is known of an encoded photo before it is decoded, and how its numbers are read."""

from collections.abc import Sequence
from typing import NamedTuple

import tensorflow as tf

_HEAD_BYTES = 80


class Header(NamedTuple):
    """What is known of one file."""

    file: tf.Tensor
    """String scalar, what to give to the decoder: the file, or the first picture of several."""
    size: tf.Tensor
    """Int32 `[2]`, height and width in pixels as the file states them; 0 where it states none."""
    flaw: tf.Tensor
    """String scalar, what the file is instead of a photo; empty where nothing is wrong."""
    has_alpha: tf.Tensor | bool = False
    """Bool scalar: the decoder must be asked for four channels."""
    has_palette: tf.Tensor | bool = False
    """Bool scalar: the decoder gives the numbers of colours."""
    is_turned: tf.Tensor | bool = False
    """Bool scalar: the decoder gives the photo as it was taken, not upright."""


def head_of(encoded: tf.Tensor) -> tf.Tensor:
    """Give a file's first 80 bytes and as many zeros, so that what is missing can be read."""
    return tf.strings.join([tf.strings.substr(encoded, 0, _HEAD_BYTES), b"\0" * _HEAD_BYTES])


def numbers(
    head: tf.Tensor, at: int, kind: tf.DType, count: int = 1, *, low_first: bool = True
) -> list[tf.Tensor]:
    """Read `count` numbers that follow each other, each an int32 scalar."""
    size = count * kind.size
    read = tf.io.decode_raw(
        tf.strings.substr(head, at, size), kind, little_endian=low_first, fixed_length=size
    )
    return tf.unstack(tf.cast(read, tf.int32), num=count)


def first_flaw(flaws: Sequence[tuple[tf.Tensor, str]]) -> tf.Tensor:
    """Give the text of the first bool scalar that is true, string scalar; else an empty one."""
    text = tf.constant("")
    for is_so, flaw in reversed(flaws):
        text = tf.where(is_so, flaw, text)
    return text


def contains(text: tf.Tensor, wanted: bytes) -> tf.Tensor:
    """Say whether a string scalar has these bytes in it, bool scalar."""
    parts = tf.raw_ops.StringSplitV2(input=text[tf.newaxis], sep=wanted, maxsplit=1)
    return tf.size(parts.values) > 1
