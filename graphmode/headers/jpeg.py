r"""A JPEG's header, and whether it is whole: its picture begins, and ends somewhere after that.

    FF D8 | FF E1 len .. | FF DB len .. | FF C0 len .. | FF DA picture FF D9 | anything

The parts before the picture are stepped over by their lengths, because a thumbnail in one of them
has a beginning and an end of its own. What follows the end (a second picture, a film) is no fault.
"""

import tensorflow as tf

from graphmode.headers.header import Header, contains, first_flaw, numbers
from graphmode.orientation import exif_of_jpeg, orientation_of_exif

_PICTURE_BEGINS = 0xFFDA
_PICTURE_ENDS = b"\xff\xd9"
_FILL = 0xFFFF

_MOST_PARTS = 4096
"""Steps at most, so that a file of tiny parts costs no more than 0.1 s."""


def jpeg_header(encoded: tf.Tensor) -> Header:
    """Read a JPEG's header; the size by TensorFlow's own reader.

    Raises:
        tf.errors.InvalidArgumentError: the file is whole, but its header makes no sense.
    """
    ends = tf.equal(tf.strings.substr(encoded, -2, 2), _PICTURE_ENDS)
    # Nearly every JPEG ends so, and the search costs a tenth of the decoding.
    cut_short = tf.cond(ends, lambda: False, lambda: _is_cut_short(encoded))
    size = tf.cond(
        cut_short,
        lambda: tf.zeros([2], tf.int32),
        lambda: tf.image.extract_jpeg_shape(encoded)[:2],
    )
    exif = exif_of_jpeg(encoded)
    is_turned = tf.cond(
        tf.strings.length(exif) > 0, lambda: orientation_of_exif(exif) > 1, lambda: False
    )
    flaw = first_flaw([(cut_short, "cut short")])
    return Header(encoded, size, flaw, is_turned=is_turned)


@tf.function(
    input_signature=[tf.TensorSpec([], tf.string, name="encoded")],
    experimental_attributes={"_noinline": True},
)
def _is_cut_short(encoded: tf.Tensor) -> tf.Tensor:
    """Bool scalar; false, too, where stray bytes stand before the picture, which is allowed."""
    length = tf.strings.length(encoded)
    at, marker, _ = tf.while_loop(
        lambda _, marker, __: (marker >= 0xFF00) & (marker != _PICTURE_BEGINS),
        lambda at, marker, size: _part(
            encoded, tf.minimum(at + tf.where(tf.equal(marker, _FILL), 1, 2 + size), length)
        ),
        _part(encoded, tf.constant(2)),
        maximum_iterations=_MOST_PARTS,
    )
    ends = contains(tf.strings.substr(encoded, at, length), _PICTURE_ENDS)
    return tf.where(tf.equal(marker, _PICTURE_BEGINS), ~ends, tf.equal(at, length))


def _part(encoded: tf.Tensor, at: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Give the place itself, the marker there and the size of its part; zeros at the end."""
    four_bytes = tf.strings.substr(encoded, at, 4)
    marker, size = numbers(four_bytes, 0, tf.uint16, 2, low_first=False)
    return at, marker, size
