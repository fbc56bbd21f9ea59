"""The fused batch norm gives what Keras' own gives, and moves the same statistics."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from training.fused_batch_norm import FusedBatchNormalization


def twins(**settings):
    layers = [
        kind(momentum=0.8, epsilon=1e-5, **settings)
        for kind in (keras.layers.BatchNormalization, FusedBatchNormalization)
    ]
    rng = np.random.default_rng(5)
    for layer in layers:
        layer.build((None, None, None, 4))
    weights = [rng.uniform(0.5, 1.5, variable.shape) for variable in layers[0].variables]
    for layer in layers:
        layer.set_weights(weights)
    return layers


def photos(rows, dtype=tf.float32):
    image = np.random.default_rng(rows).normal(0.4, 2.0, (rows, 5, 6, 4))
    return tf.constant(image, dtype)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("rows", [1, 7])
def test_output_gradient_and_statistics_are_keras_own(training, rows):
    image, outputs, gradients = photos(rows), [], []
    plain, fused = twins()
    for layer in (plain, fused):
        with tf.GradientTape() as tape:
            tape.watch(image)
            output = layer(image, training=training)
            loss = tf.reduce_sum(output**3)
        outputs.append(output)
        gradients.append(tape.gradient(loss, [image, *layer.trainable_variables]))
    np.testing.assert_allclose(outputs[1], outputs[0], rtol=1e-4, atol=1e-4)
    for ours, theirs in zip(gradients[1], gradients[0], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-2)
    for ours, theirs in zip(fused.variables, plain.variables, strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-5, err_msg=ours.path)


def test_it_is_one_operation():
    _, fused = twins()
    step = tf.function(lambda image: fused(image, training=True))
    operations = step.get_concrete_function(photos(2)).graph.get_operations()
    assert [op.type for op in operations].count("FusedBatchNormV3") == 1
    assert not any(op.type == "Rsqrt" for op in operations)


def test_in_bfloat16_the_statistics_stay_float32():
    _, fused = twins(dtype="mixed_bfloat16")
    output = fused(photos(4, tf.bfloat16), training=True)
    assert output.dtype == tf.bfloat16
    assert {variable.dtype for variable in fused.variables} == {"float32"}
