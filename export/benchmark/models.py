"""The ways in which a measured model is held: by a session, as a server does, or by Keras.

Little is imported here, for the memory of each process is measured.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf


def load(kind: str, path: Path) -> "SessionModel | EagerModel | None":
    """The model at `path`, by its kind: `session`, `eager` or `nothing`."""
    if kind == "nothing":
        return None
    return SessionModel(path) if kind == "session" else EagerModel(path)


class EagerModel:
    """A Keras model, each operation called from Python."""

    def __init__(self, path: Path) -> None:
        """Reads a .keras file."""
        import keras  # noqa: PLC0415 sessions do without, and so does their memory

        self._model = keras.saving.load_model(path, compile=False)

    def __call__(self, images: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Float32 `[B,size,size,3]` in 0..1 to class probabilities `[B,classes]`."""
        return np.asarray(self._model(images, training=False))


class SessionModel:
    """A SavedModel in a V1 session, as TensorFlow Serving loads it."""

    def __init__(self, folder: Path) -> None:
        """Loads the graph and the variables."""
        self._folder = folder
        self._session = tf.compat.v1.Session(graph=tf.Graph())
        with self._session.graph.as_default():
            loaded = tf.compat.v1.saved_model.load(self._session, ["serve"], str(folder))
        self._signatures = loaded.signature_def
        (self._image,) = self._signatures["serving_default"].inputs

    def __call__(self, images: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Float32 `[B,size,size,3]` in 0..1 to class probabilities `[B,classes]`."""
        answer = self.ask("serving_default", {self._image: images})
        (probabilities,) = (value for value in answer.values() if value.dtype == np.float32)
        return probabilities

    def ask(self, signature: str, values: dict[str, Any]) -> dict[str, npt.NDArray[Any]]:
        """All outputs of a signature by alias, as a server fetches them."""
        asked = self._signatures[signature]
        fetches = {alias: info.name for alias, info in asked.outputs.items()}
        feeds = {asked.inputs[alias].name: value for alias, value in values.items()}
        answer: dict[str, npt.NDArray[Any]] = self._session.run(fetches, feeds)
        return answer

    def replay_warmup(self) -> float:
        """Asks each warm-up request beside the model; gives the seconds that the asking took."""
        from export.preflight.warmup_file import read_warmup  # noqa: PLC0415 imports Keras

        requests = read_warmup(self._folder)
        begin = time.perf_counter()
        for request in requests:
            self.ask(request.signature, request.values)
        return time.perf_counter() - begin
