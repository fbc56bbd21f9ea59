"""`python -m export.benchmark.subject KIND PATH CORES`: one measured model, in its own process.

It says nothing until it is asked. Each line of stdin is a question, each line of stdout its answer,
both JSON objects; the end of stdin ends the process.

    {"ask": "ready"}                             whether TensorFlow is imported
    {"ask": "load"}                              memory once the model is loaded
    {"ask": "first", "images": FILE}             the first two requests, and memory after them
    {"ask": "time", "rows": 8, "repeats": 5}     seconds of each request
    {"ask": "answers"}                           probabilities of all images, eight at a time
    {"ask": "replay"}                            the warm-up requests that lie beside the model
    {"ask": "photo", "path": FILE}               one request with an encoded photo

KIND is `eager`, `session` or `nothing`, which only imports TensorFlow. CORES is `all` or `1`.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

ROWS = (1, 8)
"""Images of a request."""


def main() -> int:
    """Answers questions until there are none."""
    kind, path, cores = sys.argv[1:]
    if cores == "1":
        # Before TensorFlow counts them. The first core is the one that most interrupts go to.
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    from export.benchmark.models import load  # noqa: PLC0415 TensorFlow, once the core is set

    model = MeasuredModel(lambda: load(kind, Path(path)))
    answers: dict[str, Callable[..., dict[str, Any]]] = {
        "ready": dict,
        "load": model.load,
        "first": model.first,
        "time": model.time,
        "answers": model.answers,
        "replay": model.replay,
        "photo": model.photo,
    }
    for line in sys.stdin:
        question = json.loads(line)
        print(json.dumps(answers[question.pop("ask")](**question)), flush=True)
    return 0


class MeasuredModel:
    """A model that answers to images, and what is measured of it."""

    def __init__(self, load: Callable[[], Any]) -> None:
        """Keeps what loads the model for the time when it is asked to."""
        self._load = load
        self._model: Any = None
        self._images: npt.NDArray[np.float32] = np.empty(0, np.float32)

    def load(self) -> dict[str, Any]:
        """Loads the model."""
        self._model = self._load()
        return {"private_bytes": private_bytes()}

    def first(self, images: str) -> dict[str, Any]:
        """A request of each of ROWS. `images`: .npy file, float32 `[n,size,size,3]`, n >= 8."""
        self._images = np.load(images, mmap_mode="r")
        seconds = {rows: self._seconds(rows) for rows in ROWS}
        return {"seconds": seconds, "private_bytes": private_bytes()}

    def time(self, rows: int, repeats: int) -> dict[str, Any]:
        """As many requests of `rows` images, one after another."""
        return {"seconds": [self._seconds(rows) for _ in range(repeats)]}

    def answers(self) -> dict[str, Any]:
        """Class probabilities of all images."""
        most = ROWS[-1]
        batches = range(0, len(self._images), most)
        answers = [self._model(np.array(self._images[begin : begin + most])) for begin in batches]
        return {"probabilities": np.concatenate(answers).tolist()}

    def replay(self) -> dict[str, Any]:
        """Asks the warm-up requests, as a server does before it takes a version into use."""
        return {"seconds": self._model.replay_warmup()}

    def photo(self, path: str) -> dict[str, Any]:
        """One request to `image_bytes`."""
        photo = Path(path).read_bytes()
        begin = time.perf_counter()
        self._model.ask("image_bytes", {"image_bytes": [photo]})
        return {"seconds": time.perf_counter() - begin}

    def _seconds(self, rows: int) -> float:
        images = np.array(self._images[:rows])
        begin = time.perf_counter()
        self._model(images)
        return time.perf_counter() - begin


def private_bytes() -> int:
    """Memory that this process has written and shares with none.

    Not PSS: TensorFlow's libraries would count for less the more such processes there are.
    """
    for line in Path("/proc/self/smaps_rollup").read_text("ascii").splitlines():
        if line.startswith("Private_Dirty:"):
            return int(line.split()[1]) * 1024
    raise OSError("/proc/self/smaps_rollup has no line Private_Dirty")


if __name__ == "__main__":
    sys.exit(main())
