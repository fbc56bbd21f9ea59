"""What makes each epoch's photos new ones: crops, mirror images and colours, drawn by seed.

    uint8 [B,H,W,3] --crop, flip, resize--> float32 [B,S,S,3] --brightness, contrast, saturation-->

Every image of a batch has its own crop and colours; each operation runs once on the whole batch.
"""

import tensorflow as tf

from graphmode.photo import scale_pixels

_STRETCH = 4 / 3
"""Between the reciprocal and this times the photo's height to width is a crop's."""

_LUMINANCE = (0.299, 0.587, 0.114)
"""Share of red, green and blue in gray (ITU-R BT.601)."""


def augment(
    image: tf.Tensor, size: int, seed: tf.Tensor, crop_area_min: float, color: float
) -> tf.Tensor:
    """Crop, mirror, resize and recolour each image by chance.

    Args:
        image: uint8 [B, H, W, 3].
        size: width and height of the result, in pixels.
        seed: int32 [2]; the same seed gives the same pixels, eagerly and in a graph.
        crop_area_min: smallest share of the image's area that a crop covers, up to 1.
        color: most that brightness, contrast and saturation are changed by, below 1; 0 leaves the
            colours alone.

    Returns:
        float32 [B, size, size, 3] in 0..1.
    """
    cropped = crop_and_flip(image, size, seed, crop_area_min)
    if not color:
        return cropped
    # Of a seed of their own, so that crops are the same with and without colours.
    factors = tf.random.stateless_uniform(
        [3, tf.shape(image)[0]], tf.random.fold_in(seed, 1), 1 - color, 1 + color
    )
    return recolour(cropped, *tf.unstack(factors))


def crop_and_flip(image: tf.Tensor, size: int, seed: tf.Tensor, area_min: float) -> tf.Tensor:
    """Cut a random rectangle out of each image, mirror half of them, resize.

    Args:
        image: uint8 [B, H, W, 3].
        size: width and height of the result.
        seed: int32 [2]; the same seed cuts the same.
        area_min: smallest share of the image's area.

    Returns:
        float32 [B, size, size, 3] in 0..1.
    """
    rows = tf.shape(image)[0]
    area, stretch, top, left, side = tf.unstack(tf.random.stateless_uniform([5, rows], seed))
    share = area_min + (1 - area_min) * area
    # What would reach beyond the photo in one direction gives way, and keeps its area.
    height = tf.clip_by_value(tf.sqrt(share) * tf.pow(_STRETCH, stretch - 0.5), share, 1.0)
    width = share / height
    y1, x1 = top * (1 - height), left * (1 - width)
    y2, x2 = y1 + height, x1 + width
    mirrored = side < 0.5
    boxes = tf.stack([y1, tf.where(mirrored, x2, x1), y2, tf.where(mirrored, x1, x2)], axis=1)
    return scale_pixels(tf.image.crop_and_resize(image, boxes, tf.range(rows), [size, size]))


def recolour(
    image: tf.Tensor, brightness: tf.Tensor, contrast: tf.Tensor, saturation: tf.Tensor
) -> tf.Tensor:
    """Multiply each image's brightness, contrast and saturation.

    Brightness is the distance of a colour from black, contrast from the image's mean gray,
    saturation from the pixel's own gray. Each is a straight line through the colours, so all
    three together are one matrix and one offset an image.

    Args:
        image: float32 [B, H, W, 3] in 0..1.
        brightness: float32 [B], 1 changes nothing; so do the others.
        contrast: float32 [B].
        saturation: float32 [B].

    Returns:
        float32 [B, H, W, 3], cut to 0..1.
    """
    gray = tf.constant(_LUMINANCE)
    mean_gray = tf.reduce_sum(tf.reduce_mean(image, axis=[1, 2]) * gray, axis=1)
    own = (saturation * contrast * brightness)[:, None, None] * tf.eye(3)
    shared = ((1 - saturation) * contrast * brightness)[:, None, None] * gray[:, None]
    offset = (1 - contrast) * brightness * mean_gray
    shape = tf.shape(image)
    # A product of [H x W, 3] and [3, 3] takes two thirds of the time of what it stands for,
    # written pixel by pixel.
    flat = tf.reshape(image, [shape[0], -1, 3])
    changed = tf.matmul(flat, own + shared) + offset[:, None, None]
    return tf.reshape(tf.clip_by_value(changed, 0.0, 1.0), shape)
