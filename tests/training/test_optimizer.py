"""The learning rate rises for a tenth of the steps and falls to almost nothing."""

import pytest

from training.optimizer import make_optimizer


def test_the_learning_rate_rises_then_falls():
    optimizer = make_optimizer(0.1, steps=100)
    rates = []
    for step in (0, 10, 55, 100):
        optimizer.iterations.assign(step)
        rates.append(float(optimizer.learning_rate))
    assert rates == pytest.approx([0.005, 0.1, 0.0505, 0.001], rel=1e-3)
