"""The optimizer and the course of its learning rate."""

import keras

_WARM_UP = 0.1
"""Share of the steps over which the learning rate rises."""


def make_optimizer(learning_rate: float, steps: int) -> keras.Optimizer:
    """SGD with Nesterov momentum: a short rise to `learning_rate`, then half a cosine.

    Args:
        learning_rate: the highest.
        steps: in the whole training.
    """
    warm_up = max(1, round(_WARM_UP * steps))
    schedule = keras.optimizers.schedules.CosineDecay(
        initial_learning_rate=learning_rate / 20,
        warmup_target=learning_rate,
        warmup_steps=warm_up,
        decay_steps=max(1, steps - warm_up),
        alpha=0.01,
    )
    return keras.optimizers.SGD(schedule, momentum=0.9, nesterov=True, weight_decay=5e-4)
