r"""A BMP's header, and its palette, which TensorFlow takes no notice of.

    "BM" .. | 10: place of the pixels 4 | 14: size of what follows 4, width 4, height 4,
            | 28: bits a pixel 2, packing 4 | 54: masks of red, green and blue | palette | pixels

TensorFlow reads 8, 24 and 32 bits a pixel as gray, BGR and BGRX, whatever else the header says, and
wants the file to end with the last pixel.
"""

import struct

import tensorflow as tf

from graphmode.headers.header import Header, first_flaw, head_of, numbers

_MASKS = struct.pack("<3I", 0xFF0000, 0xFF00, 0xFF)
_PLAIN, _BY_MASKS = 0, 3


def bmp_header(encoded: tf.Tensor, head: tf.Tensor) -> Header:
    """Read a BMP's header; the file is given without what follows the last pixel."""
    pixels_at, header_bytes, width, height = numbers(head, 10, tf.int32, 4)
    (bits,) = numbers(head, 28, tf.uint16)
    (packing,) = numbers(head, 30, tf.int32)
    is_bgrx = (
        tf.equal(packing, _BY_MASKS)
        & tf.equal(bits, 32)
        & tf.equal(tf.strings.substr(head, 54, len(_MASKS)), _MASKS)
    )
    is_known = tf.reduce_any(tf.equal(bits, [8, 24, 32])) & (header_bytes >= 40)
    row_bytes = (tf.cast(width, tf.int64) * tf.cast(bits // 8, tf.int64) + 3) // 4 * 4
    end = tf.cast(pixels_at, tf.int64) + row_bytes * tf.cast(tf.abs(height), tf.int64)
    length = tf.cast(tf.strings.length(encoded), tf.int64)
    flaw = first_flaw(
        [
            (~is_known, "of another form than 8, 24 or 32 bits a pixel"),
            (~(tf.equal(packing, _PLAIN) | is_bgrx), "that is packed"),
            ((pixels_at < 0) | (end > length), "cut short"),
        ]
    )
    return Header(
        tf.strings.substr(encoded, 0, tf.cast(tf.clip_by_value(end, 0, length), tf.int32)),
        tf.stack([tf.abs(height), width]),
        flaw,
        has_palette=tf.equal(bits, 8),
    )


def in_colours(photo: tf.Tensor, encoded: tf.Tensor) -> tf.Tensor:
    """Give each pixel, uint8 [height, width, 3] of its colour's number, the colour itself."""
    pixels_at, header_bytes = numbers(head_of(encoded), 10, tf.int32, 2)
    begin = tf.clip_by_value(14 + header_bytes, 0, tf.strings.length(encoded))
    palette = tf.strings.substr(encoded, begin, tf.maximum(pixels_at - begin, 0))
    # Colours that are not there are black: `fixed_length` fills up with zeros.
    colours = tf.reshape(tf.io.decode_raw(palette, tf.uint8, fixed_length=1024), [256, 4])
    return tf.gather(colours[:, 2::-1], tf.cast(photo[:, :, 0], tf.int32))
