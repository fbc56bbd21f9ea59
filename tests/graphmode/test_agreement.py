"""Modes agree where they compute the same, and the table says where they do not."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from graphmode.agreement import agreement_facts, compare_modes
from graphmode.errors import GraphmodeError

IMAGE = tf.constant(np.random.default_rng(0).random((2, 8, 8, 3)), tf.float32)


def network():
    keras.utils.set_random_seed(0)
    layers = [keras.layers.Conv2D(4, 3), keras.layers.BatchNormalization(), keras.layers.Flatten()]
    return keras.Sequential([keras.Input((8, 8, 3)), *layers, keras.layers.Dense(2)])


def test_a_sound_model_agrees_in_each_mode_and_keeps_its_weights():
    model = network()
    before = model.get_weights()
    found = compare_modes(model, [IMAGE])
    assert found.agrees, found
    assert [(row.mode, row.quantity) for row in found.rows] == [
        (mode, quantity)
        for mode in ("graph", "xla")
        for quantity in ("forward", "loss", "gradients")
    ]
    for then, now in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(then, now)


def test_a_difference_names_the_output_and_the_index():
    def model(x):
        return x, x + (0.0 if tf.executing_eagerly() else tf.constant([0.0, 1.0]))

    row = compare_modes(model, [tf.constant([1.0, 2.0])], modes=["graph"]).rows[0]
    assert (row.verdict, row.where) == ("differs", "output 1 [1]")
    assert row.difference == pytest.approx(0.5)


def test_a_wrong_gradient_names_the_variable():
    weight = tf.Variable([1.0, 2.0], name="weight")

    def model(x):
        return x * (weight if tf.executing_eagerly() else tf.stop_gradient(weight) + 0 * weight)

    found = compare_modes(model, [tf.constant([1.0, 2.0])], variables=[weight], modes=["graph"])
    assert [row.verdict for row in found.rows] == ["agrees", "agrees", "differs"]
    assert "weight" in found.rows[-1].where


def test_nan_in_one_mode_differs():
    def model(x):
        return x if tf.executing_eagerly() else x * float("nan")

    assert not compare_modes(model, [tf.constant([1.0])], modes=["graph"]).agrees


def test_what_xla_refuses_is_a_row():
    def model(x):
        tf.print("seen")
        return x

    (row,) = compare_modes(model, [tf.constant([1.0])], modes=["xla"]).rows
    assert (row.mode, row.verdict) == ("xla", "refused")
    assert "PrintV2" in row.where


def test_a_model_that_fails_eagerly_is_refused():
    with pytest.raises(GraphmodeError, match=r"eager.*(ndim|rank|shape)"):
        compare_modes(network(), [tf.zeros([2, 8, 8])])


def test_facts_are_small_and_of_the_graph_alone():
    facts = agreement_facts(network(), [IMAGE])
    assert facts["agrees"]
    assert set(facts) == {"agrees", "graph_forward", "graph_loss", "graph_gradients"}
