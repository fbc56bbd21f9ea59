"""This process among the workers, as TF_CONFIG says; knows no TensorFlow."""

import json
import os
import re
from dataclasses import dataclass

from training.errors import TrainingError

_ADDRESS = re.compile(r"\S+:\d+")
_EXAMPLE = (
    '{"cluster": {"worker": ["10.0.0.1:2222", "10.0.0.2:2222"]}, '
    '"task": {"type": "worker", "index": 0}}'
)


@dataclass(frozen=True)
class Place:
    """This process among the workers; worker 0 is the chief."""

    index: int = 0
    addresses: tuple[str, ...] = ("",)

    @property
    def count(self) -> int:
        """How many workers there are."""
        return len(self.addresses)

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
        are_addresses = isinstance(workers, list) and all(map(_ADDRESS.fullmatch, workers))
    except (ValueError, KeyError, TypeError) as error:
        raise TrainingError(f"TF_CONFIG must be as in {_EXAMPLE}, not {text}") from error
    if not are_addresses:
        raise TrainingError(f"TF_CONFIG must list the workers as HOST:PORT, as in {_EXAMPLE}")
    if set(config["cluster"]) != {"worker"} or kind != "worker":
        raise TrainingError(
            f"TF_CONFIG must name workers only, of whom 0 is the chief, as in {_EXAMPLE}"
        )
    if not 0 <= index < len(workers):
        raise TrainingError(
            f"TF_CONFIG names {len(workers)} workers, and task.index {index}; it counts from 0, "
            f"as in {_EXAMPLE}"
        )
    return Place(index, tuple(workers))
