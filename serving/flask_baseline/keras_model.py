"""The Keras model of a run, called eagerly or in a tf.function, as the exported signatures are.

eager    model(images, training=False): Python dispatches each of its ops, in each request
graph    the same call traced once; Python makes one call into TensorFlow, in each request
"""

from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from graphmode.photo import photo_to_image, photos_to_images, scale_pixels
from serving.errors import Fault, ServingError
from serving.flask_baseline.config import BaselineConfig

_IMAGE = (224, 224, 3)
Array = np.ndarray[Any, Any]


def load_model(config: BaselineConfig) -> "EagerModel":
    """The run's model in the execution that the settings name, after its first predictions.

    It sets the size of TensorFlow's thread pools, so no op may have run in the process.
    """
    tf.config.threading.set_intra_op_parallelism_threads(config.intra_op_threads)
    tf.config.threading.set_inter_op_parallelism_threads(config.intra_op_threads)
    model = {"eager": EagerModel, "graph": GraphModel}[config.execution](config.run_dir)
    _warm_up(model)
    return model


class EagerModel:
    """The model, called op by op."""

    def __init__(self, run_dir: Path) -> None:
        self._model = keras.saving.load_model(run_dir / "model.keras", compile=False)
        labels = (run_dir / "labels.txt").read_text().splitlines()
        self._labels = np.array([label.encode() for label in labels], object)

    def predict(self, signature: str, sent: Array) -> dict[str, Array]:
        """What the exported model's signature of that name answers.

        Args:
            signature: `serving_default`, `uint8` or `image_bytes`.
            sent: The signature's one input: float32 in 0..1 or uint8 `[B,224,224,3]`, or the
                bytes of photos as an object array `[B]`.

        Returns:
            `probabilities` float32 `[B,classes]` and `label` bytes `[B]`.

        Raises:
            ServingError: INVALID_ARGUMENT, a photo cannot be decoded; names its index.
        """
        call = {
            "serving_default": self.classify_images,
            "uint8": self._classify_pixels,
            "image_bytes": self.classify_photos,
        }[signature]
        probabilities = call(sent).numpy()
        return {"probabilities": probabilities, "label": self._labels[probabilities.argmax(-1)]}

    def classify_images(self, images: tf.Tensor) -> tf.Tensor:
        """Probabilities of float32 images `[B,224,224,3]` in 0..1."""
        return self._model(images, training=False)

    def classify_photos(self, photos: Array) -> tf.Tensor:
        """Probabilities of the photos in an object array of bytes `[B]`."""
        return self.classify_images(_decode(photos))

    def _classify_pixels(self, pixels: Array) -> tf.Tensor:
        return self.classify_images(scale_pixels(pixels))


class GraphModel(EagerModel):
    """The model, called in a tf.function."""

    @tf.function(input_signature=[tf.TensorSpec([None, *_IMAGE], tf.float32)])
    def classify_images(self, images: tf.Tensor) -> tf.Tensor:
        """Probabilities of float32 images `[B,224,224,3]` in 0..1.

        input_signature: float32 `[None,224,224,3]`. One trace a model, for any batch size.
        """
        return self._model(images, training=False)

    def classify_photos(self, photos: Array) -> tf.Tensor:
        """Probabilities of the photos in an object array of bytes `[B]`."""
        try:
            return self.classify_encoded(photos)
        except tf.errors.InvalidArgumentError:
            _decode(photos)  # raises with the index, which the graph's error does not tell
            raise

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def classify_encoded(self, photos: tf.Tensor) -> tf.Tensor:
        """Probabilities of encoded photos.

        input_signature: string `[None]`. One trace a model, for any batch size.
        """
        return self._model(photos_to_images(photos), training=False)


def _decode(photos: Array) -> tf.Tensor:
    """Photos as float32 images `[B,224,224,3]` in 0..1, op by op."""
    images = []
    for index, photo in enumerate(photos):
        try:
            images.append(photo_to_image(tf.constant(photo)))
        except tf.errors.InvalidArgumentError as error:
            raise ServingError(
                Fault.INVALID_ARGUMENT,
                f"image_bytes[{index}] is no photo that can be decoded: expected a whole JPEG,"
                f" PNG, BMP, GIF or WebP file, got {len(photo)} bytes",
            ) from error
    return tf.stack(images)


def _warm_up(model: EagerModel) -> None:
    pixels = np.zeros((1, *_IMAGE), np.uint8)
    photo = tf.io.encode_jpeg(pixels[0]).numpy()
    model.predict("image_bytes", np.array([photo], object))
    model.predict("uint8", pixels)
    model.predict("serving_default", pixels.astype(np.float32))
