"""The network in 8 bits answers nearly as the one it was made of, in a session of any setting."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

from export.int8.calibration import calibrate
from export.int8.filters import FULL_RANGE, SAFE_RANGE
from export.int8.network import QuantizedNetwork
from export.int8.plan import plan_of
from export.processor import Processor
from export.saved_model import Contents, write_saved_model
from export.served_network import ServedNetwork
from export.weights import Weights

RUN = """
import json, sys
import numpy as np, tensorflow as tf
with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    loaded = tf.compat.v1.saved_model.load(session, ["serve"], sys.argv[1])
    signature = loaded.signature_def["uint8"]
    feeds = {signature.inputs["image"].name: np.load(sys.argv[2])}
    answers = [session.run(signature.outputs["probabilities"].name, feeds) for _ in range(50)]
    print(json.dumps([answer.tolist() for answer in answers]))
"""


@pytest.fixture(scope="module")
def plan(residual_network):
    return plan_of(residual_network)


@pytest.fixture(scope="module")
def ranges(residual_network, plan, images):
    return calibrate(residual_network, plan, [images[:4], images[4:]])


@pytest.fixture(scope="module")
def quantized(residual_network, plan, ranges):
    """Gives the network and its weights for a range of 8-bit weights."""

    def made(weight_range=SAFE_RANGE, *, are_frozen=False):
        weights = Weights(tf.float32, are_frozen=are_frozen)
        return QuantizedNetwork(residual_network, plan, ranges, weights, weight_range), weights

    return made


@pytest.fixture(scope="module")
def in_session(quantized, pixels, tmp_path_factory):
    """Fifty answers of a session in a process of its own, with more environment variables."""

    def answers(weight_range, **environment):
        folder = tmp_path_factory.mktemp("int8")
        network, weights = quantized(weight_range)
        contents = Contents(
            labels=("a", "b", "c"),
            image_size=pixels.shape[1],
            warmup_signatures=("uint8",),
            warmup_batch_sizes=(1,),
        )
        served = ServedNetwork(network=network, weights=weights, facts={})
        write_saved_model(served, contents, folder / "1")
        np.save(folder / "pixels.npy", pixels)
        command = [sys.executable, "-c", RUN, str(folder / "1"), str(folder / "pixels.npy")]
        ended = subprocess.run(
            command,
            env={**os.environ, "TF_ONEDNN_ASSUME_FROZEN_WEIGHTS": "1", **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        return np.array(json.loads(ended.stdout.splitlines()[-1]))

    return answers


def largest_difference(network, model, pixels):
    """In probability, between the int8 network in a graph and the Keras model."""
    spec = tf.TensorSpec([None, *pixels.shape[1:]], tf.uint8)
    answer = tf.function(network.from_pixels, input_signature=[spec])(tf.constant(pixels))
    expected = model(pixels / np.float32(255), training=False)
    return float(np.abs(answer - expected).max())


def test_it_answers_nearly_as_the_keras_model(quantized, residual_network, pixels):
    network, _ = quantized()
    assert 0 < largest_difference(network, residual_network, pixels) < 0.05


def test_frozen_weights_answer_the_same_bit_for_bit(quantized, pixels):
    spec = tf.TensorSpec([None, *pixels.shape[1:]], tf.uint8)
    answers = [
        tf.function(network.from_pixels, input_signature=[spec])(tf.constant(pixels)).numpy()
        for network, _ in (quantized(), quantized(are_frozen=True))
    ]
    np.testing.assert_array_equal(*answers)


def test_a_float_image_of_8_bit_pixels_is_the_uint8_image(quantized, pixels, images):
    network, _ = quantized()
    specs = [tf.TensorSpec([None, *pixels.shape[1:]], dtype) for dtype in (tf.uint8, tf.float32)]
    from_pixels = tf.function(network.from_pixels, input_signature=[specs[0]])
    from_floats = tf.function(network, input_signature=[specs[1]])
    np.testing.assert_array_equal(
        from_pixels(tf.constant(pixels)), from_floats(tf.constant(images))
    )


def test_kernels_are_stored_in_one_byte_a_weight(quantized):
    _, weights = quantized()
    kernels = [variable for variable in weights.variables if "kernel" in variable.name]
    assert [kernel.dtype for kernel in kernels] == [tf.int8] * 6 + [tf.float32]


def test_no_two_products_overflow_16_bits_without_vnni(quantized):
    _, weights = quantized(SAFE_RANGE)
    kernels = [variable.numpy() for variable in weights.variables if variable.dtype == tf.int8]
    largest = [np.abs(kernel).max(axis=(0, 1, 2)) for kernel in kernels]
    assert all(channel.min() >= SAFE_RANGE for channel in largest)
    assert max(channel.max() for channel in largest) > SAFE_RANGE
    for kernel in kernels[1:]:  # the first has three input channels
        pairs = kernel.astype(int).reshape(-1, 2, kernel.shape[-1])
        sums = [np.maximum(sign * pairs, 0).sum(axis=1).max() for sign in (1, -1)]
        assert 255 * max(sums) < 2**15


def test_the_padding_of_the_scaled_image_keeps_its_value_at_the_border(
    residual_network, plan, ranges, pixels
):
    """An image of one colour, the mean, is zeros for the network, border and all."""
    network = QuantizedNetwork(residual_network, plan, ranges, Weights(tf.float32), SAFE_RANGE)
    mean = np.rint(np.array([0.48, 0.45, 0.4]) * 255).astype(np.uint8)
    gray = np.broadcast_to(mean, (1, *pixels.shape[1:])).copy()
    assert largest_difference(network, residual_network, gray) < 0.03


def test_a_session_answers_the_same_every_time(in_session, residual_network, images):
    answers = in_session(SAFE_RANGE)
    assert len(np.unique(answers, axis=0)) == 1
    np.testing.assert_allclose(answers[0], residual_network(images, training=False), atol=0.05)


def test_it_runs_where_onednn_is_switched_off(in_session, residual_network, images):
    answers = in_session(SAFE_RANGE, TF_ENABLE_ONEDNN_OPTS="0")
    np.testing.assert_allclose(answers[0], residual_network(images, training=False), atol=0.05)


def test_safe_weights_are_right_on_a_cpu_without_vnni(in_session, residual_network, images):
    answers = in_session(SAFE_RANGE, ONEDNN_MAX_CPU_ISA="AVX2")
    np.testing.assert_allclose(answers[0], residual_network(images, training=False), atol=0.05)


@pytest.mark.skipif(not Processor().has_vnni, reason="this CPU has no VNNI")
def test_full_weights_are_right_on_a_cpu_with_vnni(in_session, residual_network, images):
    answers = in_session(FULL_RANGE)
    np.testing.assert_allclose(answers[0], residual_network(images, training=False), atol=0.05)
