"""Each step is one graph for every batch, and every mode computes the same."""

from dataclasses import replace

import keras
import numpy as np
import pytest
import tensorflow as tf

from training.config import PRESETS
from training.network import tiny
from training.optimizer import make_optimizer
from training.step import (
    make_averages,
    make_settle_step,
    make_train_step,
    make_val_step,
    trace_count,
)


def batch(rows, size=32):
    rng = np.random.default_rng(rows)
    label = np.arange(rows, dtype=np.int32) % 2
    image = 0.5 * rng.random((rows, size, size, 3)) + 0.5 * label[:, None, None, None]
    return tf.constant(image, tf.float32), tf.constant(label)


def learner(mode, optimizer=None):
    config = replace(PRESETS["quick"], mode=mode, learning_rate=0.02)
    model, averages = tiny(2, None), make_averages()
    optimizer = optimizer or make_optimizer(config, steps=20)
    step = make_train_step(model, optimizer, averages, config)
    return model, averages, step


def test_one_trace_whatever_the_last_batchs_size(trace_budget):
    model, averages, train_step = learner("graph")
    val_step = make_val_step(model, averages, "graph")
    trace_budget(train_step, val_step, at_most=1)
    for rows in (8, 8, 5, 1):
        train_step(*batch(rows))
        val_step(*batch(rows))


def test_settling_moves_batch_norms_statistics_and_no_weight(trace_budget):
    model = tiny(2, None)
    weights = [np.array(weight) for weight in model.trainable_variables]
    statistics = [np.array(value) for value in model.non_trainable_variables]
    settle_step = make_settle_step(model, "graph")
    trace_budget(settle_step, at_most=1)
    for rows in (8, 5):
        settle_step(*batch(rows))
    for before, after in zip(weights, model.trainable_variables, strict=True):
        np.testing.assert_array_equal(before, after)
    moved = zip(statistics, model.non_trainable_variables, strict=True)
    assert any(not np.array_equal(before, after) for before, after in moved)


def test_one_trace_whatever_the_image_size(trace_budget):
    model, averages, train_step = learner("graph")
    val_step = make_val_step(model, averages, "graph")
    trace_budget(train_step, val_step, at_most=1)
    for size in (32, 48):
        train_step(*batch(4, size))
        val_step(*batch(4, size))


def test_eager_steps_are_not_traced():
    _, _, train_step = learner("eager")
    train_step(*batch(4))
    assert trace_count(train_step) == 0
    assert not tf.config.functions_run_eagerly()


def test_labels_of_another_dtype_are_refused():
    _, _, train_step = learner("graph")
    image, label = batch(4)
    with pytest.raises(TypeError):
        train_step(image, tf.cast(label, tf.int64))


# By plain descent: Adam's first step is the gradient's sign, which rounding turns near zero.
@pytest.mark.parametrize("mode", ["eager", "xla"])
def test_the_first_step_is_the_graphs_in_every_mode(mode):
    model, _, graph_step = learner("graph", keras.optimizers.SGD(0.1))
    other, _, other_step = learner(mode, keras.optimizers.SGD(0.1))
    other.set_weights(model.get_weights())
    np.testing.assert_allclose(other_step(*batch(8)), graph_step(*batch(8)), rtol=1e-5)
    for ours, theirs in zip(other.variables, model.variables, strict=True):
        np.testing.assert_allclose(
            ours.numpy(), theirs.numpy(), rtol=1e-3, atol=1e-5, err_msg=ours.path
        )


def test_training_lowers_the_loss():
    _, _, train_step = learner("graph")
    losses = [float(train_step(*batch(8))) for _ in range(20)]
    assert losses[-1] < losses[0] / 2


def test_training_counts_loss_and_accuracy_over_all_rows():
    model, averages, _ = learner("graph")
    val_step = make_val_step(model, averages, "graph")
    model.get_layer("logits").kernel.assign(tf.zeros([32, 2]))
    model.get_layer("logits").bias.assign([9.0, 0.0])
    for rows in (2, 1):
        val_step(*batch(rows))
    taken = averages.take()
    assert taken["accuracy"] == pytest.approx(2 / 3)
    assert taken["loss"] == pytest.approx(9 / 3, rel=1e-3)
    assert averages.take() == {"loss": 0, "accuracy": 0}


def test_validation_changes_no_variable():
    model, averages, _ = learner("graph")
    before = model.get_weights()
    make_val_step(model, averages, "graph")(*batch(4))
    for then, now in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(then, now)


def test_training_moves_the_batch_norms_statistics():
    model, _, train_step = learner("graph")
    train_step(*batch(4))
    assert np.any(model.get_layer("stem_bn").moving_mean.numpy() != 0)
