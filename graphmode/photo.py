"""The one way from an encoded photo to the model's input, for training and serving alike.

    encoded --decode_photo--> uint8 [h,w,3] --resize_photo--> float32 [s,s,3] --scale_pixels--> 0..1

All of it is graph code without Python callbacks: it runs eagerly, in a `tf.function`, in
`tf.map_fn`, and in a session that knows no Python. The resize squashes the photo to a square
(bilinear, no antialiasing). A JPEG is turned as its EXIF says, which no TensorFlow decoder does.
"""

import tensorflow as tf

from graphmode.orientation import turn_upright

IMAGE_SIZE = 224
"""Width and height of the model's input, in pixels."""

_HEADER_BYTES = 25

# `decode_image` must be told the channels. With channels=0 (as many as there are) TensorFlow 2.21
# corrupts the heap on an animated WebP; with 3 or 4 it refuses, as an error, what does not fit.
# So the one kind that needs 4, a still WebP with alpha, is recognised by its header:
#
#   byte  0     4     8     12                      20     24
#         RIFF  size  WEBP  VP8X (extended)  size   flags                  0x10 alpha, 0x02 animated
#         RIFF  size  WEBP  VP8L (lossless)  size   /      0x10 alpha (version bits above it are 0)
_STILL_WEBP_WITH_ALPHA = (
    r"RIFF\C{4}WEBP(VP8X\C{4}[\x10\x14\x18\x1C\x30\x34\x38\x3C]|VP8L\C{8}[\x10-\x1F])\C*"
)


def decode_photo(encoded: tf.Tensor) -> tf.Tensor:
    """Decode a JPEG, upright, or PNG, BMP, GIF (its first frame) or still WebP; alpha is dropped.

    Args:
        encoded: string scalar, the file's bytes.

    Returns:
        uint8 [height, width, 3].

    Raises:
        tf.errors.InvalidArgumentError: not a photo of these kinds, or cut short.
    """
    return turn_upright(_decoded(encoded), encoded)


def resize_photo(photo: tf.Tensor, size: int = IMAGE_SIZE) -> tf.Tensor:
    """Squash a photo, uint8 [height, width, 3], to float32 [size, size, 3] in 0..255."""
    return tf.image.resize(photo, [size, size], method="bilinear", antialias=False)


def scale_pixels(pixels: tf.Tensor) -> tf.Tensor:
    """Bring pixels in 0..255, of any number type and shape, to float32 in 0..1."""
    # Multiplied, because a graph turns a division by a constant into this product (to the last
    # bit another result) and eager execution does not.
    return tf.cast(pixels, tf.float32) * (1 / 255)


def photo_to_image(encoded: tf.Tensor, size: int = IMAGE_SIZE) -> tf.Tensor:
    """Decode and resize one photo into what the model takes.

    Args:
        encoded: string scalar, the file's bytes.
        size: width and height of the result, in pixels.

    Returns:
        float32 [size, size, 3] in 0..1.

    Raises:
        tf.errors.InvalidArgumentError: as `decode_photo`.
    """
    return scale_pixels(resize_photo(decode_photo(encoded), size))


def _decoded(encoded: tf.Tensor) -> tf.Tensor:
    header = tf.strings.substr(encoded, 0, _HEADER_BYTES)
    has_alpha = tf.strings.regex_full_match(header, _STILL_WEBP_WITH_ALPHA)
    return tf.cond(
        has_alpha,
        lambda: tf.io.decode_image(encoded, channels=4, expand_animations=False)[:, :, :3],
        lambda: tf.io.decode_image(encoded, channels=3, expand_animations=False),
    )
