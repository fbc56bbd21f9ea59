"""The four ways to ask the served model.

    serving_default  image float32 --------------------------------+
    uint8            image uint8 ---------- scale_pixels -----------+--> network --> probabilities
    image_bytes      image_bytes string --- photos_to_images -------+                label
    classify         tf.Example string ---- image/encoded, as above +--> network --> scores, classes

Each opens with tf.ensure_shape: a tensor of another rank that reached a convolution of oneDNN
would end the server's process. Photos are decoded one by one, the network runs once on the batch.
A batch may have no rows: the outputs have none then.
"""

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from export.tf_example import photos_of
from graphmode.photo import photos_to_images, scale_pixels

CLASSIFY = "classify"
CLASSIFY_METHOD = "tensorflow/serving/classify"

Network = Callable[[tf.Tensor], tf.Tensor]


class Answers:
    """Signature functions over one network; each is traced once, for any batch size."""

    def __init__(self, network: Network, labels: tuple[str, ...], image_size: int) -> None:
        """Labels in the order of the network's classes; images are square, `image_size` pixels."""
        self._network = network
        # A quantized network takes the pixels as they are.
        self._from_pixels: Network = getattr(
            network, "from_pixels", lambda x: network(scale_pixels(x))
        )
        self._labels = labels
        self._image_shape = [None, image_size, image_size, 3]
        self._image_size = image_size

    def signatures(self) -> dict[str, Any]:
        """The functions by signature name, ready for `tf.saved_model.save`."""
        text = tf.TensorSpec([None], tf.string)
        inputs = {
            "serving_default": (self._image, tf.TensorSpec(self._image_shape, tf.float32), "image"),
            "uint8": (self._uint8, tf.TensorSpec(self._image_shape, tf.uint8), "image"),
            "image_bytes": (self._image_bytes, text, "image_bytes"),
            CLASSIFY: (self._classify, text, "inputs"),
        }
        return {
            name: tf.function(
                function, input_signature=[tf.TensorSpec(spec.shape, spec.dtype, name=argument)]
            )
            for name, (function, spec, argument) in inputs.items()
        }

    def _image(self, image: tf.Tensor) -> dict[str, tf.Tensor]:
        """Float32 `[B,size,size,3]` in 0..1."""
        return self._answer(self._network(tf.ensure_shape(image, self._image_shape)))

    def _uint8(self, image: tf.Tensor) -> dict[str, tf.Tensor]:
        """Uint8 `[B,size,size,3]`."""
        return self._answer(self._from_pixels(tf.ensure_shape(image, self._image_shape)))

    def _image_bytes(self, image_bytes: tf.Tensor) -> dict[str, tf.Tensor]:
        """Encoded photos, string `[B]`; a bad one is InvalidArgument (`decode_photo`)."""
        photos = tf.ensure_shape(image_bytes, [None])
        return self._answer(self._network(photos_to_images(photos, self._image_size)))

    def _classify(self, inputs: tf.Tensor) -> dict[str, tf.Tensor]:
        """Serialized tf.Example, string `[B]`, each with a photo in `image/encoded`."""
        photos = photos_of(tf.ensure_shape(inputs, [None]))
        scores = self._network(photos_to_images(photos, self._image_size))
        # TensorFlow Serving wants every class beside its score: string `[B,classes]`.
        rows = tf.shape(scores)[0]
        classes = tf.tile(tf.constant([self._labels]), [rows, 1])
        return {"classes": classes, "scores": scores}

    def _answer(self, probabilities: tf.Tensor) -> dict[str, tf.Tensor]:
        label = tf.gather(tf.constant(self._labels), tf.argmax(probabilities, axis=1))
        return {"probabilities": probabilities, "label": label}
