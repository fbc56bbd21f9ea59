"""Who trains together: this process alone, all its GPUs, or several processes by TF_CONFIG.

    global batch -> every replica takes its rows -> forward, loss / all rows -> gradients summed
                                                                             -> the same update

Each worker reads the photos and makes the same global batches from the same seed; worker 0, the
chief, owns the run folder. What the chief decides, the others are told (`chiefs_word`).
"""

import json
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from training.errors import TrainingError

_EXAMPLE = (
    '{"cluster": {"worker": ["10.0.0.1:2222", "10.0.0.2:2222"]}, '
    '"task": {"type": "worker", "index": 0}}'
)


@dataclass(frozen=True)
class Place:
    """This process among the workers; worker 0 is the chief."""

    index: int = 0
    count: int = 1

    @property
    def is_chief(self) -> bool:
        """Whether it owns the run folder."""
        return self.index == 0


def place_of(strategy: str) -> Place:
    """Read this process' place from TF_CONFIG, for the strategy multi_worker.

    Raises:
        TrainingError: TF_CONFIG is missing or does not say it.
    """
    if strategy != "multi_worker":
        return Place()
    text = os.environ.get("TF_CONFIG")
    if not text:
        raise TrainingError(f"--strategy multi_worker needs TF_CONFIG, as in {_EXAMPLE}")
    try:
        config = json.loads(text)
        workers, task = config["cluster"]["worker"], config["task"]
        kind, index = task["type"], int(task["index"])
    except (ValueError, KeyError, TypeError) as error:
        raise TrainingError(f"TF_CONFIG must be as in {_EXAMPLE}, not {text}") from error
    if set(config["cluster"]) != {"worker"} or kind != "worker":
        raise TrainingError("TF_CONFIG must name workers only; worker 0 is the chief")
    if not 0 <= index < len(workers):
        raise TrainingError(f"TF_CONFIG names {len(workers)} workers, and task.index {index}")
    return Place(index, len(workers))


class Workers:
    """The replicas that train one network; made before anything else of TensorFlow runs."""

    def __init__(self, strategy: str, place: Place) -> None:
        self.place = place
        self._strategy = _make_strategy(strategy)
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

    def chiefs_word(self, number: int) -> int:
        """Give every worker the number that the chief calls this with."""
        return int(self._from_chief([np.array(number, np.int64)])[0])

    def take_chiefs_variables(self, variables: Sequence[Any]) -> None:
        """Set every worker's variables to the chief's, one at a time."""
        if self.place.count > 1:
            for variable in variables:
                variable.assign(self._from_chief([variable.numpy()])[0])

    def _from_chief(self, values: list[Any]) -> list[Any]:
        if self.place.count == 1:
            return values
        given = [value if self.place.is_chief else np.zeros_like(value) for value in values]

        def on_replica() -> Any:  # noqa: ANN401
            return self.total([tf.constant(value) for value in given])

        results = self._strategy.run(on_replica)
        return [self._strategy.experimental_local_results(one)[0].numpy() for one in results]


def _make_strategy(name: str) -> tf.distribute.Strategy:
    if name == "mirrored":
        devices = tf.config.list_logical_devices("GPU") or tf.config.list_logical_devices("CPU")
        return tf.distribute.MirroredStrategy([device.name for device in devices])
    if name == "multi_worker":
        return tf.distribute.MultiWorkerMirroredStrategy()
    return tf.distribute.get_strategy()
