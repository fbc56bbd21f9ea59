"""The optimizer and the course of its learning rate."""

import math

import keras
import tensorflow as tf

from training.config import TrainConfig

_MOMENTUM = 0.9


class WarmUpCosine(keras.optimizers.schedules.LearningRateSchedule):
    """From 0 to the highest rate along a line, then to 0 along half a cosine (arXiv:1608.03983)."""

    def __init__(self, highest: float, warm_up_steps: int, steps: int) -> None:
        self._highest = highest
        self._rise = max(1, warm_up_steps)
        self._fall = max(1, steps - self._rise)

    def __call__(self, step: tf.Tensor) -> tf.Tensor:
        """Give the rate at a step counted from 0: float32 scalar."""
        at = tf.cast(step, tf.float32) + 1
        rising = at / self._rise
        falling = tf.clip_by_value((at - self._rise) / self._fall, 0.0, 1.0)
        return self._highest * tf.minimum(rising, (1 + tf.cos(math.pi * falling)) / 2)


def make_optimizer(config: TrainConfig, steps: int) -> keras.Optimizer:
    """SGD with Nesterov momentum, or AdamW; their rate rises and falls within `steps`.

    Weights decay apart from the gradient, relative to the rate (arXiv:1711.05101); norms and
    biases do not (arXiv:1812.01187).
    """
    rate = WarmUpCosine(config.learning_rate, round(config.warm_up * steps), steps)
    decay = config.weight_decay or None
    # Named, because the variables' paths, by which a checkpoint finds them, begin with the name.
    if config.optimizer == "sgd":
        optimizer = keras.optimizers.SGD(
            rate, momentum=_MOMENTUM, nesterov=True, weight_decay=decay, name="optimizer"
        )
    else:
        # None would be AdamW's own default.
        optimizer = keras.optimizers.AdamW(rate, weight_decay=decay or 0.0, name="optimizer")
    optimizer.exclude_from_weight_decay(var_names=["gamma", "beta", "bias"])
    return optimizer
