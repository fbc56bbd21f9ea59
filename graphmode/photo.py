"""The one way from an encoded photo to the model's input, for training and serving alike.

    encoded --decode_photo--> uint8 [h,w,3] --resize_photo--> float32 [s,s,3] --scale_pixels--> 0..1

All of it is graph code without Python callbacks: it runs eagerly, in a `tf.function`, in
`tf.map_fn`, and in a session that knows no Python. The resize squashes the photo to a square
(bilinear, no antialiasing). A JPEG is turned as its EXIF says, which no TensorFlow decoder does.
Of several pictures in a file (GIF, WebP) the first counts; transparency is dropped.
"""

import tensorflow as tf

from graphmode.headers.bmp import in_colours
from graphmode.headers.header import Header
from graphmode.orientation import turn_upright
from graphmode.photo_header import MOST_PIXELS, header_of

IMAGE_SIZE = 224
"""Width and height of the model's input, in pixels."""

_EXPECTED = f"expected a JPEG, PNG, BMP, GIF or WebP of 1 to {MOST_PIXELS} pixels, got "


def decode_photo(encoded: tf.Tensor, index: tf.Tensor | None = None) -> tf.Tensor:
    """Decode a JPEG, upright, or a PNG, BMP, GIF or WebP.

    Args:
        encoded: string scalar, the file's bytes.
        index: int32 scalar, the photo's place in a batch, for the error.

    Returns:
        uint8 [height, width, 3].

    Raises:
        tf.errors.InvalidArgumentError: not a photo of these kinds, of more than MOST_PIXELS pixels,
            or cut short; nothing was decoded then, and the message names the index. Or the decoder
            found what no header tells: a JPEG whose tables make no sense, pixels of a PNG, GIF or
            WebP that do not unpack, a GIF without colours, a WebP whose parts contradict each
            other. The message is the decoder's then, without the index.
    """
    is_sound, header = header_of(encoded)
    file = tf.cond(is_sound, lambda: header.file, lambda: _refused(encoded, header, index))
    photo = _decoded(file, header)
    # Asked before, because in eager code each question costs a call, and few photos are turned.
    return tf.cond(header.is_turned, lambda: turn_upright(photo, encoded), lambda: photo)


def resize_photo(photo: tf.Tensor, size: int = IMAGE_SIZE) -> tf.Tensor:
    """Squash a photo, uint8 [height, width, 3], to float32 [size, size, 3] in 0..255."""
    return tf.image.resize(photo, [size, size], method="bilinear", antialias=False)


def scale_pixels(pixels: tf.Tensor) -> tf.Tensor:
    """Bring pixels in 0..255, of any number type and shape, to float32 in 0..1."""
    # Multiplied, because a graph turns a division by a constant into this product (to the last
    # bit another result) and eager execution does not.
    return tf.cast(pixels, tf.float32) * (1 / 255)


def photo_to_image(
    encoded: tf.Tensor, size: int = IMAGE_SIZE, index: tf.Tensor | None = None
) -> tf.Tensor:
    """Decode and resize one photo into what the model takes.

    Args:
        encoded: string scalar, the file's bytes.
        size: width and height of the result, in pixels.
        index: int32 scalar, the photo's place in a batch, for the error.

    Returns:
        float32 [size, size, 3] in 0..1.

    Raises:
        tf.errors.InvalidArgumentError: as `decode_photo`.
    """
    return scale_pixels(resize_photo(decode_photo(encoded, index), size))


def photos_to_images(photos: tf.Tensor, size: int = IMAGE_SIZE) -> tf.Tensor:
    """Decode and resize a batch of photos, several at a time.

    Args:
        photos: string [B], each a file's bytes; B may be 0.
        size: width and height of the results, in pixels.

    Returns:
        float32 [B, size, size, 3] in 0..1.

    Raises:
        tf.errors.InvalidArgumentError: as `decode_photo`, for one of them.
    """
    return tf.map_fn(
        lambda numbered: photo_to_image(numbered[0], size, numbered[1]),
        (photos, tf.range(tf.size(photos))),
        fn_output_signature=tf.TensorSpec([size, size, 3], tf.float32),
    )


def _decoded(file: tf.Tensor, header: Header) -> tf.Tensor:
    return tf.cond(
        header.has_alpha,
        lambda: tf.io.decode_image(file, channels=4, expand_animations=False)[:, :, :3],
        lambda: tf.cond(
            header.has_palette,
            lambda: in_colours(tf.io.decode_bmp(file, channels=3), file),
            lambda: tf.io.decode_image(file, channels=3, expand_animations=False),
        ),
    )


def _refused(encoded: tf.Tensor, header: Header, index: tf.Tensor | None) -> tf.Tensor:
    place = [] if index is None else ["photo ", tf.strings.as_string(index), " of the batch: "]
    size = tf.strings.as_string(tf.strings.length(encoded))
    sentence = tf.strings.join([*place, _EXPECTED, size, " bytes, ", header.flaw])
    # The raw operation, because `tf.debugging.Assert` words its error otherwise in eager code.
    with tf.control_dependencies([tf.raw_ops.Assert(condition=False, data=[sentence])]):
        return tf.identity(encoded)
