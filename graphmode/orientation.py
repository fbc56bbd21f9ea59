r"""Which way up a JPEG was taken: the Orientation of its EXIF, found and undone in graph code.

    FF D8 | FF E0 len JFIF.. | FF E1 len "Exif\0\0" TIFF | ... | FF DA (the picture begins)

    TIFF  0       2     4       offset   offset + 2
          II/MM   42    offset  count    entries of 12 bytes: tag 2, type 2, count 4, value 4

II writes numbers low byte first, MM high byte first (EXIF 2.32, JEITA CP-3451). An EXIF that is cut
short or makes no sense states no orientation; it is never an error.
"""

import tensorflow as tf

_HEADER_BYTES = 65536
"""How far into the file an EXIF is looked for."""

_JPEG = b"\xff\xd8"
_PICTURE_BEGINS = b"\xff\xda"
_EXIF_SEGMENT = b"\xff\xe1"
_EXIF = b"Exif\0\0"

# Tag 0x0112, type 3 (a 16-bit number), one of it, value 2 to 8, in either order of bytes; else
# nothing. Bytes above 0x7F could not be written so: RE2 takes the pattern for UTF-8.
_ORIENTATION_ENTRY = (
    r"\A(?:(?:\C{12})*?"
    r"(?:\x12\x01\x03\x00\x01\x00\x00\x00([\x02-\x08])\x00"
    r"|\x01\x12\x00\x03\x00\x00\x00\x01\x00([\x02-\x08]))"
    r"\C*|\C*)\z"
)

# By orientation, 0 (none stated) to 8: what turns the photo upright, the transposition first.
_IS_TRANSPOSED = (False, False, False, False, False, True, True, True, True)
_IS_UPSIDE_DOWN = (False, False, False, True, True, False, False, True, True)
_IS_MIRRORED = (False, False, True, True, False, False, True, True, False)


def turn_upright(photo: tf.Tensor, encoded: tf.Tensor) -> tf.Tensor:
    """Flip and transpose a decoded photo as the EXIF of its file says.

    Args:
        photo: uint8 [height, width, 3].
        encoded: string scalar, the file's bytes; one that is no JPEG leaves the photo as it is.

    Returns:
        uint8 [height, width, 3], the two sides exchanged where the photo lay on its side.
    """
    tiff = exif_of_jpeg(encoded)
    return tf.cond(
        tf.strings.length(tiff) > 0,
        lambda: _turned(photo, orientation_of_exif(tiff)),
        lambda: photo,
    )


# Each a `tf.function`, because eager code then pays for one call instead of twenty operations.


@tf.function(input_signature=[tf.TensorSpec([], tf.string, name="encoded")])
def exif_of_jpeg(encoded: tf.Tensor) -> tf.Tensor:
    """Give a JPEG's TIFF and all that follows it, string scalar; empty where it has no EXIF.

    `input_signature`: one file's bytes. Traced once.
    """
    header = tf.strings.substr(encoded, 0, _HEADER_BYTES)
    # The bytes before the picture, split at the EXIF. An EXIF within the picture's bytes would be
    # another photo's, appended to this one; a thumbnail within the EXIF comes after its entries.
    before_picture = _split(header, _PICTURE_BEGINS)[0]
    parts = _split(before_picture, _EXIF)
    before_exif = tf.strings.length(parts[0])
    marker = tf.strings.substr(parts[0], tf.maximum(before_exif - 4, 0), 2)
    is_exif = (
        tf.equal(tf.strings.substr(header, 0, 2), _JPEG)
        & tf.equal(marker, _EXIF_SEGMENT)
        & (tf.size(parts) > 1)
    )
    begin = tf.where(is_exif, before_exif + len(_EXIF), 0)
    return tf.strings.substr(header, begin, tf.where(is_exif, _HEADER_BYTES, 0))


@tf.function(input_signature=[tf.TensorSpec([], tf.string, name="tiff")])
def orientation_of_exif(tiff: tf.Tensor) -> tf.Tensor:
    """Give the orientation, int32 scalar: 2 to 8, or 0 where it is 1 or not stated.

    `input_signature`: the bytes from TIFF on. Traced once.
    """
    is_low_first = tf.equal(tf.strings.substr(tiff, 0, 4), b"II*\0")
    is_tiff = is_low_first | tf.equal(tf.strings.substr(tiff, 0, 4), b"MM\0*")
    offset = _number(tiff, 4, tf.int32, is_low_first)
    # A false offset, cut to what there is, finds no entry there.
    offset = tf.clip_by_value(offset, 0, tf.maximum(tf.strings.length(tiff) - 2, 0))
    count = tf.cast(_number(tiff, offset, tf.uint16, is_low_first), tf.int32)
    begin = tf.minimum(offset + 2, tf.strings.length(tiff))
    entries = tf.strings.substr(tiff, begin, tf.where(is_tiff, 12 * count, 0))
    value = tf.strings.regex_replace(entries, _ORIENTATION_ENTRY, r"\1\2")
    return tf.cast(tf.io.decode_raw(value, tf.uint8, fixed_length=1)[0], tf.int32)


def _number(
    text: tf.Tensor, at: tf.Tensor | int, kind: tf.DType, low_first: tf.Tensor
) -> tf.Tensor:
    """Read a number at a byte; what lies beyond the end counts as zeros."""
    read = tf.strings.substr(text, tf.minimum(at, tf.strings.length(text)), kind.size)
    low, high = (
        tf.io.decode_raw(read, kind, little_endian=order, fixed_length=kind.size)[0]
        for order in (True, False)
    )
    return tf.where(low_first, low, high)


def _split(text: tf.Tensor, at: bytes) -> tf.Tensor:
    """Split a string scalar at the first `at`: string [1] where there is none, else [2]."""
    return tf.raw_ops.StringSplitV2(input=text[tf.newaxis], sep=at, maxsplit=1).values


def _turned(photo: tf.Tensor, orientation: tf.Tensor) -> tf.Tensor:
    def turned() -> tf.Tensor:
        across = tf.where(tf.gather(_IS_TRANSPOSED, orientation), [1, 0, 2], [0, 1, 2])
        flips = [tf.gather(table, orientation) for table in (_IS_UPSIDE_DOWN, _IS_MIRRORED)]
        upright = tf.raw_ops.Reverse(tensor=tf.transpose(photo, across), dims=[*flips, False])
        return tf.ensure_shape(upright, [None, None, 3])

    return tf.cond(orientation > 1, turned, lambda: photo)
