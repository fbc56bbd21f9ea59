"""The optimizer and the course of its learning rate."""

import keras

_WARM_UP = 0.1
"""Share of the steps over which the learning rate rises."""

_WEIGHT_DECAY = 0.05


def make_optimizer(learning_rate: float, steps: int) -> keras.Optimizer:
    """AdamW: a short rise to `learning_rate`, then half a cosine.

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
    # Named, because the variables' paths, by which a checkpoint finds them, begin with the name.
    return keras.optimizers.AdamW(schedule, weight_decay=_WEIGHT_DECAY, name="optimizer")
