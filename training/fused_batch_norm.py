"""Batch norm as the one operation that TensorFlow has for it, where Keras 3 makes seven of it.

The variables are Keras' own, in its order: weights move between the two without a change.
"""

from typing import Any

import keras
import tensorflow as tf


class FusedBatchNormalization(keras.layers.BatchNormalization):
    """`keras.layers.BatchNormalization` over the last of four axes, by FusedBatchNormV3.

    Takes and gives [B, height, width, channels] in the layer's compute dtype; scale, offset and
    statistics are float32.
    """

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - Keras' own arguments
        # Cast to bfloat16, scale and offset would be refused by the operation.
        super().__init__(autocast=False, **settings)

    def call(
        self,
        inputs: tf.Tensor,
        training: bool | None = None,  # noqa: FBT001 - Keras' own signature
        mask: None = None,
    ) -> tf.Tensor:
        """Normalise with the batch's statistics, or without training with the running ones."""
        del mask
        scale, offset = self.gamma.value, self.beta.value
        if not training:
            normal, _, _ = tf.compat.v1.nn.fused_batch_norm(
                inputs,
                scale,
                offset,
                mean=self.moving_mean.value,
                variance=self.moving_variance.value,
                epsilon=self.epsilon,
                is_training=False,
            )
            return normal
        normal, mean, variance = tf.compat.v1.nn.fused_batch_norm(
            inputs, scale, offset, epsilon=self.epsilon, is_training=True
        )
        self._move(self.moving_mean, mean)
        # The operation gives n / (n - 1) of the variance, Keras keeps the plain one.
        places = tf.cast(tf.reduce_prod(tf.shape(inputs)[:3]), tf.float32)
        self._move(self.moving_variance, variance * ((places - 1) / places))
        return normal

    def _move(self, running: keras.Variable, new: tf.Tensor) -> None:
        running.assign(running.value * self.momentum + new * (1 - self.momentum))
