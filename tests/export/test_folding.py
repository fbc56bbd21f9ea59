import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

from export.errors import ExportError
from export.folding import FoldedNetwork
from export.weights import Weights


def classifier(*body):
    """A model of the given layers between an image and a softmax."""
    image = x = keras.Input((8, 8, 3), name="image")
    for layer in body:
        x = layer(x)
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(image, layers.Dense(2, activation="softmax")(x))


def test_the_folded_network_answers_as_the_keras_model(network, images):
    folded = FoldedNetwork(network, Weights(tf.float32))
    expected = network(images, training=False)
    np.testing.assert_allclose(folded(tf.constant(images)), expected, atol=1e-6)


def test_bfloat16_convolutions_answer_nearly_the_same(network, images):
    folded = FoldedNetwork(network, Weights(tf.bfloat16))
    answer = folded(tf.constant(images))
    assert answer.dtype == tf.float32
    np.testing.assert_allclose(answer, network(images, training=False), atol=0.02)


def test_only_kernels_and_biases_are_left(network):
    weights = Weights(tf.bfloat16)
    FoldedNetwork(network, weights)
    variables = weights.variables
    assert [variable.name.split("/")[1] for variable in variables] == ["kernel:0", "bias:0"] * 4
    assert [variable.dtype for variable in variables] == [tf.bfloat16] * 6 + [tf.float32] * 2


def test_a_convolution_that_two_layers_read_keeps_its_batch_norm_apart():
    image = keras.Input((8, 8, 3), name="image")
    shared = layers.Conv2D(4, 3, padding="same")(image)
    norm = layers.BatchNormalization()
    x = layers.Add()([norm(shared), shared])
    norm.set_weights([np.full(4, value) for value in (2.0, 1.0, 0.5, 3.0)])
    x = layers.GlobalAveragePooling2D()(x)
    model = keras.Model(image, layers.Dense(2, activation="softmax")(x))
    pixels = np.random.default_rng(1).random((2, 8, 8, 3), dtype=np.float32)
    answer = FoldedNetwork(model, Weights(tf.float32))(tf.constant(pixels))
    np.testing.assert_allclose(answer, model(pixels, training=False), atol=1e-6)


def test_a_residual_that_adds_a_tensor_to_itself_is_read_twice():
    image = keras.Input((8, 8, 3), name="image")
    x = layers.Conv2D(4, 3)(image)
    x = layers.GlobalAveragePooling2D()(layers.Add()([x, x]))
    model = keras.Model(image, layers.Dense(2, activation="softmax")(x))
    pixels = np.random.default_rng(1).random((1, 8, 8, 3), dtype=np.float32)
    answer = FoldedNetwork(model, Weights(tf.float32))(tf.constant(pixels))
    np.testing.assert_allclose(answer, model(pixels, training=False), atol=1e-6)


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (
            layers.AveragePooling2D(2, name="pool"),
            '"pool" is a AveragePooling2D.*supported: InputLa',
        ),
        (layers.ReLU(max_value=6, name="six"), '"six".*max_value is not supported'),
        (layers.Activation("gelu", name="g"), "\"g\".*'gelu' is not supported; supported: linear"),
        (layers.Conv2D(3, 1, groups=3, name="grouped"), '"grouped".*groups'),
    ],
)
def test_what_cannot_be_folded_is_named(layer, message):
    with pytest.raises(ExportError, match=message):
        FoldedNetwork(classifier(layer), Weights(tf.float32))


def test_a_layer_used_twice_is_refused():
    twice = layers.Conv2D(3, 1, name="twice")
    with pytest.raises(ExportError, match=r'"twice".*more than once'):
        FoldedNetwork(classifier(twice, twice), Weights(tf.float32))


def test_logits_are_not_served_as_probabilities():
    image = keras.Input((8, 8, 3), name="image")
    logits = layers.Dense(2, name="logits")(layers.GlobalAveragePooling2D()(image))
    with pytest.raises(ExportError, match=r'"logits".*expected a softmax'):
        FoldedNetwork(keras.Model(image, logits), Weights(tf.float32))


def test_zero_padding_becomes_the_convolutions_own():
    image = keras.Input((9, 9, 3))
    x = keras.layers.ZeroPadding2D(((1, 2), (0, 3)))(image)
    x = keras.layers.Conv2D(4, 3, strides=2)(x)
    x = keras.layers.GlobalAveragePooling2D()(x)
    model = keras.Model(image, keras.layers.Softmax()(keras.layers.Dense(2)(x)))
    network = FoldedNetwork(model, Weights(tf.float32))
    pixels = np.random.default_rng(1).random((2, 9, 9, 3), np.float32)
    np.testing.assert_allclose(network(pixels), model(pixels), atol=1e-6)
    graph = tf.function(network).get_concrete_function(tf.TensorSpec([None, 9, 9, 3])).graph
    assert not [operation for operation in graph.get_operations() if operation.type == "Pad"]


def test_zeros_that_others_read_too_stay():
    image = keras.Input((9, 9, 3))
    padded = keras.layers.ZeroPadding2D(1)(image)
    convolved = keras.layers.Conv2D(3, 1)(padded)
    x = keras.layers.GlobalAveragePooling2D()(keras.layers.Add()([padded, convolved]))
    model = keras.Model(image, keras.layers.Softmax()(keras.layers.Dense(2)(x)))
    pixels = np.random.default_rng(1).random((2, 9, 9, 3), np.float32)
    np.testing.assert_allclose(
        FoldedNetwork(model, Weights(tf.float32))(pixels), model(pixels), atol=1e-6
    )
