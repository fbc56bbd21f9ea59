"""How fast batches are learned, and which share of the time they were waited for."""

import time
from collections.abc import Iterable, Iterator

from training.dataset import Batch


class Speed:
    """A clock over one epoch's batches; it runs from when it is made."""

    def __init__(self) -> None:
        self.images = 0
        self._began = time.monotonic()
        self._waited_s = 0.0

    def timed(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """Give the batches, counting images and the time until each batch is there."""
        iterator = iter(batches)
        while True:
            began = time.monotonic()
            batch = next(iterator, None)
            self._waited_s += time.monotonic() - began
            if batch is None:
                return
            self.images += int(batch[1].shape[0])
            yield batch

    @property
    def images_per_second(self) -> float:
        """Images given so far, over the time since the start."""
        return self.images / (time.monotonic() - self._began)

    @property
    def data_wait(self) -> float:
        """Share of the time, 0 to 1, in which the next batch was waited for."""
        return self._waited_s / (time.monotonic() - self._began)
