r"""A GIF's header, and the first of its pictures, cut out as a GIF of its own.

    GIF89a w h flags .. | colours | ! FE blocks 0 | ! F9 blocks 0 | , x y w h flags | colours | 08
                                  |                               | blocks 0 | , .. blocks 0 | ;
                                   \________ stepped over _______/ \_____ the first picture

TensorFlow decodes all pictures before it gives the first, each of a size of its own: a thousand
take a thousand times the memory. It also makes transparent pixels black. Cut out, without the marks
of transparency, the first picture has all its colours; its place on the screen is left out.
"""

import tensorflow as tf

from graphmode.headers.header import Header, first_flaw

_MOST_STEPS = 8192
"""Blocks of one size are one step, up to 4,096 of them: an ordinary picture is two or three. A file
that changes the size with each block costs no more than a second."""

_MOST_AT_ONCE = 4096

_EXTENSION = 0x21
_PICTURE = 0x2C
_PICTURE_HEADER = 10

# What stands at a place: the beginning of anything, or a block; the last two end the search.
_ANYTHING, _EXTENSIONS_BLOCK, _PICTURES_BLOCK, _PICTURES_END, _NO_PICTURE = range(5)
_AFTER_LAST_BLOCK = (_NO_PICTURE, _ANYTHING, _PICTURES_END)

Step = tuple[tf.Tensor, tf.Tensor, tf.Tensor]


def gif_header(encoded: tf.Tensor) -> Header:
    """Read the header of a GIF's first picture; the file is given with this picture alone."""
    data = tf.io.decode_raw(encoded, tf.uint8)
    length = tf.size(data)

    begin = 13 + _colours_bytes(_byte(data, 10))
    end, found, picture = tf.while_loop(
        lambda at, found, _: (at < length) & (found < _PICTURES_END),
        lambda *step: _next_step(data, *step),
        (begin, tf.constant(_ANYTHING), tf.constant(0)),
        maximum_iterations=_MOST_STEPS,
    )
    width, height = (
        _byte(data, picture + at) + 256 * _byte(data, picture + at + 1) for at in (5, 7)
    )
    is_whole = tf.equal(found, _PICTURES_END) & (end <= length)
    flaw = first_flaw(
        [
            (is_whole, ""),
            (tf.equal(found, _NO_PICTURE), "without a picture"),
            (end >= length, "cut short"),
            (~is_whole, f"of more than {_MOST_STEPS} changes of block size"),
        ]
    )
    file = _cut_out(encoded, begin, picture, end)
    return Header(file, tf.stack([height, width]), flaw)


def _next_step(data: tf.Tensor, at: tf.Tensor, found: tf.Tensor, picture: tf.Tensor) -> Step:
    """Go over blocks of one size, or what stands before those of an extension or a picture."""
    value = _byte(data, at)
    is_begin = tf.equal(found, _ANYTHING)
    is_picture = is_begin & tf.equal(value, _PICTURE)
    is_extension = is_begin & tf.equal(value, _EXTENSION)
    begun = tf.where(
        is_picture, _PICTURES_BLOCK, tf.where(is_extension, _EXTENSIONS_BLOCK, _NO_PICTURE)
    )
    # After the header and the colours, one byte says how the picture's blocks are packed.
    opening = tf.where(
        is_picture,
        _PICTURE_HEADER + _colours_bytes(_byte(data, at + 9)) + 1,
        tf.where(is_extension, 2, 0),
    )
    is_last = tf.equal(value, 0)
    continued = tf.where(is_last, tf.gather(_AFTER_LAST_BLOCK, found), found)
    return (
        at + tf.where(is_begin, opening, tf.where(is_last, 1, _blocks_bytes(data, at, value))),
        tf.where(is_begin, begun, continued),
        tf.where(is_picture, at, picture),
    )


def _blocks_bytes(data: tf.Tensor, at: tf.Tensor, size: tf.Tensor) -> tf.Tensor:
    """Give the bytes of all blocks here that follow each other and are of this size."""
    stride = size + 1
    sizes = tf.strided_slice(data, [at], [at + _MOST_AT_ONCE * stride], [stride])
    is_other = tf.not_equal(tf.cast(sizes, tf.int32), size)
    return stride * tf.argmax(tf.concat([is_other, [True]], axis=0), output_type=tf.int32)


def _byte(data: tf.Tensor, at: tf.Tensor | int) -> tf.Tensor:
    return tf.cast(data[tf.minimum(at, tf.size(data) - 1)], tf.int32)


def _colours_bytes(flags: tf.Tensor) -> tf.Tensor:
    """Give the size of the colour table behind these flags."""
    return tf.where(flags >= 128, 6 * tf.bitwise.left_shift(1, flags % 8), 0)


def _cut_out(encoded: tf.Tensor, begin: tf.Tensor, picture: tf.Tensor, end: tf.Tensor) -> tf.Tensor:
    length = tf.strings.length(encoded)
    size_and_pixels = tf.strings.substr(encoded, tf.minimum(picture + 5, length), end - picture - 5)
    screen = tf.strings.substr(encoded, 0, begin)
    return tf.strings.join([screen, b",\0\0\0\0", size_and_pixels, b";"])
