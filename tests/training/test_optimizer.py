"""The learning rate rises for a tenth of the steps and falls to nothing with the last."""

import pytest

from training.optimizer import RiseAndFall, make_optimizer


def test_the_learning_rate_rises_then_falls():
    rate = RiseAndFall(0.1, steps=100)
    rates = [float(rate(step)) for step in (0, 9, 54, 98, 99, 100)]
    assert rates == pytest.approx([0.01, 0.1, 0.05, 0.1 / 90, 0, 0], abs=1e-7)


def test_a_training_of_one_step_learns():
    assert float(RiseAndFall(0.1, steps=1)(0)) == pytest.approx(0.1)


def test_the_optimizer_follows_the_steps():
    optimizer = make_optimizer(0.1, steps=100)
    optimizer.iterations.assign(54)
    assert float(optimizer.learning_rate) == pytest.approx(0.05)
