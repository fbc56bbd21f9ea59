"""The average of a network's weights over its last steps, which is the steadier network."""

from collections.abc import Sequence

import keras
import tensorflow as tf


class AveragedNetwork:
    """A network whose variables, running statistics too, follow those of one that is trained.

    After step n an average keeps `decay` of itself, at the start less, (1 + n) / (10 + n), so
    that it forgets the random weights (`tf.train.ExponentialMovingAverage`'s num_updates).
    """

    def __init__(self, network: keras.Model, trained: keras.Model, decay: float) -> None:
        self.network = network
        self._decay = decay
        self._trained: Sequence[keras.Variable] = trained.variables
        self.steps = keras.Variable(0, dtype="int64", trainable=False, name="averaged_steps")
        network.set_weights(trained.get_weights())

    @property
    def variables(self) -> list[keras.Variable]:
        """What a checkpoint must hold."""
        return [*self.network.variables, self.steps]

    def follow(self) -> None:
        """Take in the trained network's variables as they are after a step; for graph code."""
        self.steps.assign_add(1)
        count = tf.cast(self.steps.value, tf.float32)
        share = 1 - tf.minimum(self._decay, (1 + count) / (10 + count))
        for average, variable in zip(self.network.variables, self._trained, strict=True):
            average.assign_add((variable.value - average.value) * share)
