"""Photos in, batches out: the tf.data pipelines of training and validation.

paths -> decode, resize -> cache as uint8 -+-> shuffle -> batch -> crop, flip
         (on all cores)                    +-> batch -> resize
"""

import tensorflow as tf

from graphmode.photo import decode_photo, resize_photo, scale_pixels
from training.config import TrainConfig
from training.photo_folder import Photo

_CACHE_BYTES = 4 * 2**30
"""Photos beyond this are decoded anew each epoch."""

_CROP_AREA = (0.35, 1.0)
"""Share of the photo's area that a crop covers."""


def train_batches(photos: tf.data.Dataset, config: TrainConfig, epoch: int) -> tf.data.Dataset:
    """Shuffle, crop, flip: one epoch's batches, the same for the same seed and epoch.

    Args:
        photos: as `decoded_photos` gives them.
        config: the sizes and the seed.
        epoch: counted from 0.

    Returns:
        Batches of float32 [B, S, S, 3] in 0..1 and int32 [B], S being train_image_size; the last
        batch may be smaller.
    """
    count = int(photos.cardinality())
    size = config.train_image_size

    def crop(number: tf.Tensor, batch: tuple[tf.Tensor, tf.Tensor]) -> tuple[tf.Tensor, tf.Tensor]:
        image, label = batch
        seed = tf.stack([config.seed, epoch * count + tf.cast(number, tf.int32)])
        return crop_and_flip(image, size, seed), label

    return (
        photos.shuffle(count, seed=config.seed + epoch, reshuffle_each_iteration=False)
        .batch(config.batch_size)
        .enumerate()
        .map(crop, num_parallel_calls=tf.data.AUTOTUNE)
        .prefetch(2)
    )


def validation_batches(photos: tf.data.Dataset, config: TrainConfig, size: int) -> tf.data.Dataset:
    """Whole photos in their order: float32 [B, size, size, 3] in 0..1 and int32 [B]."""

    def resize(image: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return scale_pixels(resize_photo(image, size)), label

    return photos.batch(config.batch_size).map(resize, tf.data.AUTOTUNE).prefetch(2)


def decoded_photos(photos: tuple[Photo, ...], image_size: int) -> tf.data.Dataset:
    """Decode and resize on all cores, once where memory allows.

    Returns:
        Dataset of uint8 [image_size, image_size, 3] and int32 scalar, in the order given.
    """

    def read(path: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        pixels = resize_photo(decode_photo(tf.io.read_file(path)), image_size)
        return tf.cast(tf.round(pixels), tf.uint8), label

    paths = [str(photo.path) for photo in photos]
    labels = tf.constant([photo.label for photo in photos], tf.int32)
    decoded = tf.data.Dataset.from_tensor_slices((paths, labels)).map(read, tf.data.AUTOTUNE)
    if len(photos) * image_size**2 * 3 <= _CACHE_BYTES:
        return decoded.cache()
    return decoded


def crop_and_flip(image: tf.Tensor, size: int, seed: tf.Tensor) -> tf.Tensor:
    """Cut a random rectangle out of each image, mirror half of them, resize.

    Args:
        image: uint8 [B, H, W, 3].
        size: width and height of the result.
        seed: int32 [2]; the same seed cuts the same.

    Returns:
        float32 [B, size, size, 3] in 0..1.
    """
    rows = tf.shape(image)[0]
    area, stretch, top, left, side = tf.unstack(tf.random.stateless_uniform([5, rows], seed))
    smallest, largest = _CROP_AREA
    extent = tf.sqrt(smallest + (largest - smallest) * area)
    ratio = tf.pow(4 / 3, stretch - 0.5)
    height = tf.minimum(extent * ratio, 1.0)
    width = tf.minimum(extent / ratio, 1.0)
    y1, x1 = top * (1 - height), left * (1 - width)
    y2, x2 = y1 + height, x1 + width
    mirrored = side < 0.5
    boxes = tf.stack([y1, tf.where(mirrored, x2, x1), y2, tf.where(mirrored, x1, x2)], axis=1)
    return scale_pixels(tf.image.crop_and_resize(image, boxes, tf.range(rows), [size, size]))
