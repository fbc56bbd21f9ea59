"""Photos in, batches out: the tf.data pipelines of training and validation.

paths -> decode, resize -> cache as uint8 -+-> shuffle -> batch -> augment
         (on all cores)                    +-> batch -> resize
"""

import os

import tensorflow as tf

from graphmode.photo import decode_photo, resize_photo, scale_pixels
from training.augmentation import augment
from training.config import TrainConfig
from training.photo_folder import Photo

CORES = os.cpu_count() or 1
"""How many photos or batches are worked on at a time."""

_CACHE_BYTES = 2**30
"""Photos that take more than this, decoded, are decoded anew each epoch."""

_SETTLING_BATCHES = 20
"""So many that, at a momentum of 0.9, an eighth is left of the statistics before."""

Batch = tuple[tf.Tensor, tf.Tensor]


class DecodedPhotos:
    """Photos as uint8 [image_size, image_size, 3] with int32 labels, decoded on all cores."""

    def __init__(self, photos: tuple[Photo, ...], image_size: int) -> None:
        self.count = len(photos)
        self._image_size = image_size
        # As bytes, for a name may be in another encoding than UTF-8.
        paths = [os.fsencode(photo.path) for photo in photos]
        labels = tf.constant([photo.label for photo in photos], tf.int32)
        self._files = tf.data.Dataset.from_tensor_slices((paths, labels))
        self._is_cached = self.count * image_size**2 * 3 <= _CACHE_BYTES
        decoded = self._files.map(self._read, CORES)
        self._decoded = decoded.cache() if self._is_cached else decoded

    def in_order(self) -> tf.data.Dataset:
        """Give each photo once, as listed."""
        return self._decoded

    def shuffled(self, seed: int) -> tf.data.Dataset:
        """Give each photo once, in an order that the seed fixes."""
        # Only names are held for shuffling where the pictures would not fit.
        source = self._decoded if self._is_cached else self._files
        shuffled = source.shuffle(self.count, seed, reshuffle_each_iteration=False)
        return shuffled if self._is_cached else shuffled.map(self._read, CORES)

    def _read(self, path: tf.Tensor, label: tf.Tensor) -> Batch:
        pixels = resize_photo(decode_photo(tf.io.read_file(path)), self._image_size)
        return tf.cast(tf.round(pixels), tf.uint8), label


def train_batches(photos: DecodedPhotos, config: TrainConfig, epoch: int) -> tf.data.Dataset:
    """Shuffle, augment: one epoch's batches, the same for the same seed and epoch.

    Args:
        photos: the photos to train on.
        config: the sizes, the seed, how much crops and colours differ.
        epoch: counted from 0.

    Returns:
        Batches of float32 [B, S, S, 3] in 0..1 and int32 [B], S being the epoch's crop size; the
        last batch may be smaller.
    """
    size = config.crop_size(epoch)

    def change(number: tf.Tensor, batch: Batch) -> Batch:
        image, label = batch
        seed = tf.stack([config.seed, epoch * photos.count + tf.cast(number, tf.int32)])
        return augment(image, size, seed, config.crop_area_min, config.color), label

    batches = photos.shuffled(config.seed + epoch).batch(config.batch_size).enumerate()
    return untuned(batches.map(change, CORES).prefetch(2))


def validation_batches(photos: DecodedPhotos, config: TrainConfig, size: int) -> tf.data.Dataset:
    """Whole photos in their order: float32 [B, size, size, 3] in 0..1 and int32 [B]."""

    def resize(image: tf.Tensor, label: tf.Tensor) -> Batch:
        return scale_pixels(resize_photo(image, size)), label

    batches = photos.in_order().batch(config.batch_size)
    return untuned(batches.map(resize, CORES).prefetch(2))


def settling_batches(photos: DecodedPhotos, config: TrainConfig) -> tf.data.Dataset:
    """Whole training photos at image_size, shuffled: 20 batches, or all where there are fewer."""
    batches = photos.shuffled(config.seed).batch(config.batch_size).take(_SETTLING_BATCHES)
    scaled = batches.map(lambda image, label: (scale_pixels(image), label), CORES)
    return untuned(scaled.prefetch(2))


def untuned(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """Switch tf.data's tuning of threads and buffers off.

    In TensorFlow 2.21 the end of an iterator waits for the tuner's next turn, and these come ever
    more seldom (after 0.01 s, 0.02 s, ... 0.64 s, 1.3 s, 2.6 s): an epoch of 7 s may take 10.
    """
    options = tf.data.Options()
    options.autotune.enabled = False
    return dataset.with_options(options)
