"""Which kind of photo a file is, and whether it may be decoded, found out before it is.

Here a photo is refused that would take too much memory, that is cut short, or that TensorFlow would
decode wrongly or not survive. Sizes and kinds are read where TensorFlow's decoders read them.
"""

import tensorflow as tf

from graphmode.headers.bmp import bmp_header
from graphmode.headers.gif import gif_header
from graphmode.headers.header import Header, first_flaw, head_of
from graphmode.headers.jpeg import jpeg_header
from graphmode.headers.png import png_header
from graphmode.headers.webp import webp_header

MOST_PIXELS = 2**26
"""Pixels that a photo may have: 67 million. Cameras and phones take 12 to 50 million; decoded, so
many need 200 MB, and as much again while they are turned upright. A PNG of 50 kB can claim fifty
times that."""

_KINDS = ("JPEG", "PNG", "BMP", "GIF", "WebP")
_JPEG = 0
_FIRST_BYTES = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"BM", b"GIF8")

# How a file begins that is still in base64: a JPEG, PNG, BMP, GIF or WebP.
_BASE64 = r"(/9j/|iVBORw0KGgo|Qk[0-3]|R0lGOD|UklGR)\C*"


# A `tf.function`, because eager code then pays for one call instead of thirty operations.
@tf.function(input_signature=[tf.TensorSpec([], tf.string, name="encoded")])
def header_of(encoded: tf.Tensor) -> tuple[tf.Tensor, Header]:
    """Read a file's header.

    `input_signature`: one file's bytes. Traced once.

    Returns:
        Bool scalar, whether the file may be decoded, and the header; its flaw begins with the kind,
        as "a PNG cut short".

    Raises:
        tf.errors.InvalidArgumentError: a JPEG that is whole, but whose header makes no sense.
    """
    head = head_of(encoded)
    kind = _kind(head)
    header = tf.cond(
        tf.equal(kind, _JPEG),
        lambda: jpeg_header(encoded),
        lambda: _header_of_another(encoded, head, kind),
    )
    height, width = tf.unstack(tf.cast(header.size, tf.int64))
    is_small_enough = height * width <= MOST_PIXELS
    has_flaw = tf.not_equal(header.flaw, "")
    is_sound = is_small_enough & (height > 0) & (width > 0) & ~has_flaw
    flaw = tf.cond(
        is_sound,
        lambda: header.flaw,
        lambda: _named(kind, tf.where(has_flaw & is_small_enough, header.flaw, _of_size(header))),
    )
    return is_sound, header._replace(flaw=flaw)


def _kind(head: tf.Tensor) -> tf.Tensor:
    """Give the place in _KINDS, int32 scalar; the one behind its end for anything else."""
    begins = [tf.equal(tf.strings.substr(head, 0, len(text)), text) for text in _FIRST_BYTES]
    is_webp = tf.strings.regex_full_match(head, r"RIFF\C{4}WEBP\C*")
    return tf.argmax(tf.stack([*begins, is_webp, True]), output_type=tf.int32)


# One node of the graph, because a JPEG pays for each node of the way that it does not go.
@tf.function(
    input_signature=[
        tf.TensorSpec([], tf.string, name="encoded"),
        tf.TensorSpec([], tf.string, name="head"),
        tf.TensorSpec([], tf.int32, name="kind"),
    ],
    experimental_attributes={"_noinline": True},
)
def _header_of_another(encoded: tf.Tensor, head: tf.Tensor, kind: tf.Tensor) -> Header:
    """Read the header of what is no JPEG.

    `input_signature`: one file's bytes, their head, and the place in _KINDS. Traced once.
    """
    ways = [
        lambda: png_header(encoded, head),
        lambda: bmp_header(encoded, head),
        lambda: gif_header(encoded),
        lambda: webp_header(encoded, head),
        lambda: _header_of_no_photo(encoded, head),
    ]
    return tf.switch_case(kind - (_JPEG + 1), ways)


def _header_of_no_photo(encoded: tf.Tensor, head: tf.Tensor) -> Header:
    flaw = first_flaw(
        [
            (tf.equal(encoded, ""), "an empty file"),
            (
                tf.strings.regex_full_match(head, _BASE64),
                "base64 text, which is to be decoded first",
            ),
            (tf.not_equal(encoded, ""), "none of these"),
        ]
    )
    return Header(encoded, tf.zeros([2], tf.int32), flaw)


def _named(kind: tf.Tensor, flaw: tf.Tensor) -> tf.Tensor:
    return tf.strings.join([tf.gather([*(f"a {kind} " for kind in _KINDS), ""], kind), flaw])


def _of_size(header: Header) -> tf.Tensor:
    height, width = tf.unstack(tf.strings.as_string(header.size))
    return tf.strings.join(["of ", width, " x ", height, " pixels"])
