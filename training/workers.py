"""Who trains together: this process alone, all its GPUs, or several processes by TF_CONFIG.

    global batch -> every replica takes its rows -> forward, loss / all rows -> gradients summed
                                                                             -> the same update

Each worker reads the photos and makes the same global batches from the same seed; worker 0, the
chief, owns the run folder. What the chief decides, the others are told (`chiefs_word`).
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import tensorflow as tf

from training.errors import TrainingError
from training.place import Place


class Workers:
    """The replicas that train one network; made before anything else of TensorFlow runs."""

    def __init__(self, strategy: str, place: Place) -> None:
        self.place = place
        self._strategy = _join(place) if place.count > 1 else _make_strategy(strategy)
        self._is_alone = self._strategy.num_replicas_in_sync == 1

    def scope(self) -> AbstractContextManager[Any]:
        """Have variables that are made meanwhile be kept alike by all replicas."""
        return self._strategy.scope()

    @property
    def replicas(self) -> int:
        """How many replicas share each batch."""
        return int(self._strategy.num_replicas_in_sync)

    def each(self, step: Callable[..., Any], image: tf.Tensor, label: tf.Tensor) -> Any:  # noqa: ANN401
        """Run a step on each replica's rows of a global batch; for graph code.

        Args:
            step: called with a replica's image and label; what it gives must be `total`s.
            image: float32 [B, H, W, 3].
            label: int32 [B].

        Returns:
            What the step gave, the same on all replicas.
        """
        if self._is_alone:
            return step(image, label)

        def on_replica(image: tf.Tensor, label: tf.Tensor) -> Any:  # noqa: ANN401
            replica = tf.distribute.get_replica_context()
            count, index = replica.num_replicas_in_sync, replica.replica_id_in_sync_group
            rows = tf.shape(label)[0]
            first, after = index * rows // count, (index + 1) * rows // count
            return step(image[first:after], label[first:after])

        results = self._strategy.run(on_replica, args=(image, label))
        return tf.nest.map_structure(
            lambda result: self._strategy.experimental_local_results(result)[0], results
        )

    def total(self, values: Any) -> Any:  # noqa: ANN401
        """Sum over all replicas; called within `each`'s step."""
        if self._is_alone:
            return values
        return tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.SUM, values)

    def require_same(self, what: str, digest: str) -> None:
        """Refuse to train where a worker has other settings or photos than the chief.

        Raises:
            TrainingError: on every worker, if the digests of one of them differ.
        """
        number = int(digest[:15], 16)
        differs = np.array(self.chiefs_word(number) != number, np.int64)
        if self._from_all(differs):
            raise TrainingError(
                f"the workers have not the same {what}: give each the same flags and photos"
            )

    def chiefs_word(self, number: int) -> int:
        """Give every worker the number that the chief calls this with."""
        return int(self._from_chief([np.array(number, np.int64)])[0])

    def take_chiefs_variables(self, variables: Sequence[Any]) -> None:
        """Set every worker's variables to the chief's, one at a time."""
        if self.place.count > 1:
            for variable in variables:
                variable.assign(self._from_chief([variable.numpy()])[0])

    def wait(self) -> None:
        """Return when every worker has come here: who leaves early ends the others' work."""
        self.chiefs_word(0)

    def _from_chief(self, values: list[Any]) -> list[Any]:
        if self.place.count == 1:
            return values
        return [
            self._from_all(value if self.place.is_chief else np.zeros_like(value))
            for value in values
        ]

    def _from_all(self, value: Any) -> Any:  # noqa: ANN401
        """Sum a value over all workers."""
        if self.place.count == 1:
            return value
        result = self._strategy.run(lambda: self.total(tf.constant(value)))
        return self._strategy.experimental_local_results(result)[0].numpy()


def _join(place: Place) -> tf.distribute.Strategy:
    """Wait for all workers to start, saying so.

    Raises:
        TrainingError: the worker's own address cannot be listened at.
    """
    others = [one for number, one in enumerate(place.addresses) if number != place.index]
    print(
        f"worker {place.index} waits for the others to start: {', '.join(others)}",
        file=sys.stderr,
        flush=True,
    )
    try:
        return tf.distribute.MultiWorkerMirroredStrategy()
    except tf.errors.OpError as error:
        raise TrainingError(
            f"worker {place.index} cannot be reached at {place.addresses[place.index]}: is the "
            f"port in use, the address another machine's? ({type(error).__name__})"
        ) from error


def _make_strategy(name: str) -> tf.distribute.Strategy:
    if name == "mirrored":
        devices = tf.config.list_logical_devices("GPU") or tf.config.list_logical_devices("CPU")
        return tf.distribute.MirroredStrategy([device.name for device in devices])
    return tf.distribute.get_strategy()
