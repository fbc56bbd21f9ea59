"""The network that the experiments train and run: a small residual one."""

from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

IMAGE_SIZE = 64
"""Height and width of its input, in pixels."""

BATCH = 16
"""Photos in the batch of `some_photos`."""


def small_resnet(filters: int = 16, blocks: int = 4) -> keras.Model:
    """Build a residual network, Functional, as ResNet-18 is but smaller.

    Args:
        filters: channels of the first half of the blocks; the second half has twice as many.
        blocks: residual blocks of two convolutions each.

    Returns:
        Keras model: `image` float32 [B, 64, 64, 3] to logits float32 [B, 2]. Weights are random.
    """
    image = keras.Input((IMAGE_SIZE, IMAGE_SIZE, 3), name="image")
    x = _convolution(image, filters, stride=4)
    for block in range(blocks):
        x = _block(x, filters if block < blocks // 2 else 2 * filters)
    pooled = keras.layers.GlobalAveragePooling2D()(x)
    return keras.Model(image, keras.layers.Dense(2, name="logits")(pooled))


def some_photos(batch: int = BATCH, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Draw noise in the form of photos, and labels.

    Returns:
        float32 [batch, 64, 64, 3] in 0..1, and int64 [batch] in 0..1.
    """
    draw = np.random.default_rng(seed)
    photos = draw.random((batch, IMAGE_SIZE, IMAGE_SIZE, 3), np.float32)
    return photos, draw.integers(0, 2, batch)


def train_step(model: keras.Model) -> Callable[[tf.Tensor, tf.Tensor], tf.Tensor]:
    """Give a step of SGD on a model with two logits, as a plain function.

    Returns:
        Takes photos float32 [B, 64, 64, 3] and labels int64 [B], changes the model, and gives the
        loss of before, a scalar. Its optimizer is built, so `tf.function` may be put on it.
    """
    optimizer = keras.optimizers.SGD(0.01, momentum=0.9)
    optimizer.build(model.trainable_variables)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def step(image: tf.Tensor, label: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = loss_of(label, model(image, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    return step


def _convolution(
    x: keras.KerasTensor, filters: int, stride: int = 1, activation: str | None = "relu"
) -> keras.KerasTensor:
    x = keras.layers.Conv2D(filters, 3, strides=stride, padding="same", use_bias=False)(x)
    x = keras.layers.BatchNormalization()(x)
    return keras.layers.Activation(activation)(x) if activation else x


def _block(x: keras.KerasTensor, filters: int) -> keras.KerasTensor:
    is_wider = x.shape[-1] != filters
    shortcut = keras.layers.Conv2D(filters, 1, strides=2)(x) if is_wider else x
    y = _convolution(x, filters, stride=2 if is_wider else 1)
    y = _convolution(y, filters, activation=None)
    return keras.layers.Activation("relu")(keras.layers.Add()([shortcut, y]))
