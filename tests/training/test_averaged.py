"""The averaged network follows the trained one, running statistics too."""

import numpy as np
import pytest

from training.averaged import AveragedNetwork
from training.network import tiny


def test_each_step_keeps_the_decays_share():
    trained = tiny(2)
    averaged = AveragedNetwork(tiny(2), trained, decay=0.9)
    averaged.steps.assign(10**6)
    start = averaged.network.get_weights()
    trained.set_weights([weight + 1 for weight in start])
    averaged.follow()
    for before, now in zip(start, averaged.network.get_weights(), strict=True):
        np.testing.assert_allclose(now, before + 0.1, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("step", "moved"), [(1, 9 / 11), (11, 9 / 21)])
def test_at_the_start_it_forgets_faster(step, moved):
    trained = tiny(2)
    averaged = AveragedNetwork(tiny(2), trained, decay=0.9)
    averaged.steps.assign(step - 1)
    bias = trained.get_layer("logits").bias
    bias.assign([1.0, 2.0])
    averaged.follow()
    now = averaged.network.get_layer("logits").bias.numpy()
    np.testing.assert_allclose(now, [moved, 2 * moved], rtol=1e-5)
