"""The training loss and its gradients are the same in eager, graph and XLA."""

import numpy as np
import tensorflow as tf

from graphmode.agreement import compare_modes
from training.network import logits_of, tiny
from training.step import smoothed_losses


def test_the_networks_first_step_agrees_in_each_mode():
    image = tf.constant(np.random.default_rng(0).random((4, 32, 32, 3)), tf.float32)
    label = tf.constant([0, 1, 0, 1])

    def loss(logits):
        return tf.reduce_mean(smoothed_losses(label, logits, 0.1))

    found = compare_modes(logits_of(tiny(2, None)), [image], loss=loss)
    assert found.agrees, found
    assert {row.mode for row in found.rows} == {"graph", "xla"}
