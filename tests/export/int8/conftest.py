import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

SIZE = 32


@pytest.fixture(scope="session")
def residual_network():
    """A small residual network with what int8 takes: every kind of convolution, none trivial."""
    keras.utils.set_random_seed(11)
    image = keras.Input((SIZE, SIZE, 3), name="image")
    x = layers.Normalization(mean=[0.48, 0.45, 0.4], variance=[0.05, 0.05, 0.06])(image)
    x = layers.ZeroPadding2D(3)(x)
    x = normed(layers.Conv2D(16, 7, strides=2, use_bias=False, name="stem")(x))
    x = layers.ReLU()(x)
    x = layers.MaxPooling2D(3, strides=2)(layers.ZeroPadding2D(1)(x))
    x = block(x, 16, stride=1)
    x = block(x, 32, stride=2)
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(image, layers.Softmax()(layers.Dense(3)(x)))


def block(x, filters, stride):
    shortcut = x
    if stride > 1:
        shortcut = normed(layers.Conv2D(filters, 1, strides=stride, use_bias=False)(x))
    x = layers.Conv2D(filters, 3, strides=stride, padding="same", use_bias=False)(x)
    x = layers.Activation("relu")(normed(x))
    x = normed(layers.Conv2D(filters, 3, padding="same")(x))
    return layers.ReLU()(layers.Add()([shortcut, x]))


def normed(x):
    norm = layers.BatchNormalization()
    x = norm(x)
    random = np.random.default_rng(x.shape[-1])
    channels = x.shape[-1]
    norm.set_weights(
        [
            random.uniform(low, high, channels)
            for low, high in ((0.5, 1.2), (-0.3, 0.3), (-0.2, 0.2), (0.5, 1.5))
        ]
    )
    return x


@pytest.fixture(scope="session")
def pixels():
    """Uint8 `[8,32,32,3]`, with shapes as large as a photo's."""
    coarse = np.random.default_rng(3).uniform(0, 255, (8, 6, 6, 3))
    return np.rint(tf.image.resize(coarse, (SIZE, SIZE))).astype(np.uint8)


@pytest.fixture(scope="session")
def images(pixels):
    """The same as float32 in 0..1."""
    return pixels.astype(np.float32) / np.float32(255)
