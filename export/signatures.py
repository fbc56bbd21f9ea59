"""The four ways to ask the served model.

    serving_default  image float32 --------------------------------+
    uint8            image uint8 ---------- scale_pixels -----------+--> network --> probabilities
    image_bytes      image_bytes string --- decode each photo ------+                label
    classify         tf.Example string ---- image/encoded, decode --+--> network --> scores, classes

Each opens with tf.ensure_shape: a tensor of another rank that reached a convolution of oneDNN
would end the server's process. Photos are decoded one by one, the network runs once on the batch.
"""

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from graphmode.photo import photo_to_image, scale_pixels

CLASSIFY = "classify"
CLASSIFY_METHOD = "tensorflow/serving/classify"

Network = Callable[[tf.Tensor], tf.Tensor]


class Answers:
    """Signature functions over one network; each is traced once, for any batch size."""

    def __init__(self, network: Network, labels: tuple[str, ...], image_size: int) -> None:
        """Labels in the order of the network's classes; images are square, `image_size` pixels."""
        self._network = network
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
        return self._answer(tf.ensure_shape(image, self._image_shape))

    def _uint8(self, image: tf.Tensor) -> dict[str, tf.Tensor]:
        """Uint8 `[B,size,size,3]`."""
        guarded = tf.ensure_shape(image, self._image_shape)
        return self._answer(scale_pixels(guarded))

    def _image_bytes(self, image_bytes: tf.Tensor) -> dict[str, tf.Tensor]:
        """Encoded photos, string `[B]`; one that does not decode is InvalidArgument."""
        return self._answer(self._decode(tf.ensure_shape(image_bytes, [None])))

    def _classify(self, inputs: tf.Tensor) -> dict[str, tf.Tensor]:
        """Serialized tf.Example, string `[B]`, each with a photo in `image/encoded`."""
        features = tf.io.parse_example(
            tf.ensure_shape(inputs, [None]),
            {"image/encoded": tf.io.FixedLenFeature([], tf.string)},
        )
        scores = self._network(self._decode(features["image/encoded"]))
        # TensorFlow Serving wants every class beside its score: string `[B,classes]`.
        rows = tf.shape(scores)[0]
        classes = tf.tile(tf.constant([self._labels]), [rows, 1])
        return {"classes": classes, "scores": scores}

    def _decode(self, photos: tf.Tensor) -> tf.Tensor:
        return tf.map_fn(
            lambda encoded: photo_to_image(encoded, self._image_size),
            photos,
            fn_output_signature=tf.TensorSpec(self._image_shape[1:], tf.float32),
        )

    def _answer(self, images: tf.Tensor) -> dict[str, tf.Tensor]:
        probabilities = self._network(images)
        label = tf.gather(tf.constant(self._labels), tf.argmax(probabilities, axis=1))
        return {"probabilities": probabilities, "label": label}
