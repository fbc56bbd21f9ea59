"""The learning rate rises, then falls to nothing with the last step; norms do not decay."""

from dataclasses import replace

import numpy as np
import pytest
import tensorflow as tf

from training.config import TrainConfig
from training.network import tiny
from training.optimizer import WarmUpCosine, make_optimizer


def test_the_learning_rate_rises_then_falls():
    rate = WarmUpCosine(0.1, warm_up_steps=10, steps=110)
    rates = [float(rate(step)) for step in (0, 9, 59, 109, 110)]
    assert rates == pytest.approx([0.01, 0.1, 0.05, 0, 0], abs=1e-7)


def test_a_training_of_one_step_learns():
    assert float(WarmUpCosine(0.1, warm_up_steps=0, steps=1)(0)) == pytest.approx(0.1)


@pytest.mark.parametrize("name", ["sgd", "adamw"])
def test_only_weights_decay_relative_to_the_rate(name):
    config = TrainConfig(optimizer=name, learning_rate=0.5, weight_decay=0.1, warm_up=0.0)
    model = tiny(2)
    optimizer = make_optimizer(config, steps=1000)
    optimizer.build(model.trainable_variables)
    for variable in model.trainable_variables:
        variable.assign(tf.ones_like(variable))
    optimizer.apply([tf.zeros(v.shape) for v in model.trainable_variables])
    for variable in model.trainable_variables:
        kept = 0.95 if variable.path.endswith("kernel") else 1
        np.testing.assert_allclose(variable.numpy(), kept, rtol=1e-5, err_msg=variable.path)


def test_sgd_looks_ahead_with_nesterovs_momentum():
    config = TrainConfig(learning_rate=0.1, weight_decay=0.0, warm_up=0.0)
    weight = tf.keras.Variable([0.0], name="kernel")
    optimizer = make_optimizer(replace(config, optimizer="sgd"), steps=10**6)
    optimizer.build([weight])
    optimizer.apply([tf.constant([1.0])])
    assert float(weight[0]) == pytest.approx(-0.1 * (1 + 0.9), rel=1e-4)
