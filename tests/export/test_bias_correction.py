"""A shift that all photos share is taken back; what differs between them stays."""

import numpy as np
import pytest
import tensorflow as tf

from export.bias_correction import bias_shift
from export.folding import FoldedNetwork
from export.weights import Weights


@pytest.fixture
def shifted(network):
    """The network, its logits moved by the same for every image."""
    exact = FoldedNetwork(network, Weights(tf.float32))

    def moved(image):
        return tf.nn.softmax(tf.add(tf.math.log(exact(image)), [0.5, -0.25, 0.0]))

    return moved


def test_a_shift_that_all_share_is_found(network, shifted, images):
    ((name, shift),) = bias_shift(network, shifted, lambda: [images[:2], images[2:]]).items()
    assert name == network.layers[-2].name
    # A number that all logits share means nothing to softmax.
    np.testing.assert_allclose(shift - shift[2], [-0.5, 0.25, 0.0], atol=1e-5)


def test_the_shift_is_added_to_the_classifiers_bias(network, images):
    shift = {network.layers[-2].name: np.float32([0.0, 3.0, 0.0])}
    plain = FoldedNetwork(network, Weights(tf.float32))(tf.constant(images))
    moved = FoldedNetwork(network, Weights(tf.float32, bias_shift=shift))(tf.constant(images))
    expected = tf.nn.softmax(tf.add(tf.math.log(plain), [0.0, 3.0, 0.0]))
    np.testing.assert_allclose(moved, expected, atol=1e-5)


def test_the_network_itself_needs_no_shift(network, images):
    exact = FoldedNetwork(network, Weights(tf.float32))
    ((_, shift),) = bias_shift(network, exact, lambda: [images]).items()
    np.testing.assert_allclose(shift, 0, atol=1e-6)
