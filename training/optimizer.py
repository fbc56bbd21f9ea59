"""The optimizer and the course of its learning rate."""

import keras
import tensorflow as tf

_WARM_UP = 0.1
"""Share of the steps over which the learning rate rises."""

_WEIGHT_DECAY = 0.05


class RiseAndFall(keras.optimizers.schedules.LearningRateSchedule):
    """From 0 to the highest rate over the first tenth of the steps, then straight to 0.

    Straight, because that leaves the last epoch, the only one at its image size, enough to
    learn with; half a cosine would not.
    """

    def __init__(self, highest: float, steps: int) -> None:
        self._highest = highest
        self._rise = max(1, round(_WARM_UP * steps))
        self._fall = max(1, steps - self._rise)

    def __call__(self, step: tf.Tensor) -> tf.Tensor:
        """Give the rate at a step counted from 0: float32 scalar."""
        at = tf.cast(step, tf.float32)
        rising = (at + 1) / self._rise
        falling = 1 - (at + 1 - self._rise) / self._fall
        return self._highest * tf.maximum(0.0, tf.minimum(rising, falling))


def make_optimizer(learning_rate: float, steps: int) -> keras.Optimizer:
    """AdamW whose rate rises to `learning_rate` and falls to 0 within `steps`."""
    # Named, because the variables' paths, by which a checkpoint finds them, begin with the name.
    return keras.optimizers.AdamW(
        RiseAndFall(learning_rate, steps), weight_decay=_WEIGHT_DECAY, name="optimizer"
    )
