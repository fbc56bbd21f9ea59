r"""A WebP's header.

    0      4     8     12                      20           24          27
    RIFF   size  WEBP  VP8X (extended)   size  flags 4      width - 1   height - 1   3 bytes each
                       VP8L (lossless)   size  2F           21: 14 bits each - 1, 1 bit alpha
                       "VP8 " (lossy)    size  .. 9D 01 2A  26: width 2, height 2

`decode_image` must be told the channels of a WebP. With channels=0 (as many as there are)
TensorFlow 2.21 corrupts the heap on an animation without alpha: it makes room for three channels
and writes four. So an animation is said to have alpha, by its flags, and is asked for four.
"""

import tensorflow as tf

from graphmode.headers.header import Header, first_flaw, numbers

_IS_ANIMATED, _HAS_ALPHA = 0x02, 0x10
_ANIMATED_WITH_ALPHA = bytes([_IS_ANIMATED | _HAS_ALPHA])


def webp_header(encoded: tf.Tensor, head: tf.Tensor) -> Header:
    """Read a WebP's header."""
    (stated,) = numbers(head, 4, tf.int32)
    is_cut_short = (stated < 0) | (stated > tf.strings.length(encoded) - 8)
    form = tf.strings.substr(head, 12, 4)
    is_extended, is_lossless = tf.equal(form, b"VP8X"), tf.equal(form, b"VP8L")
    flags = numbers(head, 20, tf.uint8, 5)
    is_animated = is_extended & _has(flags[0], _IS_ANIMATED)
    has_alpha = _has(
        tf.where(is_extended, flags[0], tf.where(is_lossless, flags[4], 0)), _HAS_ALPHA
    )
    return Header(
        tf.cond(is_animated, lambda: _with_alpha(encoded), lambda: encoded),
        tf.where(
            is_extended,
            _extended_size(head),
            tf.where(is_lossless, _lossless_size(head), _lossy_size(head)),
        ),
        first_flaw([(is_cut_short, "cut short")]),
        has_alpha=is_animated | has_alpha,
    )


def _has(flags: tf.Tensor, flag: int) -> tf.Tensor:
    return tf.not_equal(tf.bitwise.bitwise_and(flags, flag), 0)


def _with_alpha(encoded: tf.Tensor) -> tf.Tensor:
    before = tf.strings.substr(encoded, 0, 20)
    after = tf.strings.substr(encoded, 21, tf.strings.length(encoded))
    return tf.strings.join([before, _ANIMATED_WITH_ALPHA, after])


def _extended_size(head: tf.Tensor) -> tf.Tensor:
    width, height = tf.unstack(tf.reshape(numbers(head, 24, tf.uint8, 6), [2, 3]))
    return 1 + tf.linalg.matvec([height, width], [1, 1 << 8, 1 << 16])


def _lossless_size(head: tf.Tensor) -> tf.Tensor:
    (both,) = numbers(head, 21, tf.int32)
    width = tf.bitwise.bitwise_and(both, 0x3FFF)
    height = tf.bitwise.bitwise_and(tf.bitwise.right_shift(both, 14), 0x3FFF)
    return tf.stack([height, width]) + 1


def _lossy_size(head: tf.Tensor) -> tf.Tensor:
    width, height = numbers(head, 26, tf.uint16, 2)
    # Two bits of each tell how to enlarge it.
    return tf.stack([height, width]) % 0x4000
