"""What the eager Keras model answers to the photos that a form is compared on."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from export.photos import LabelledPhoto
from export.served_network import images_of


@dataclass(frozen=True, kw_only=True)
class PhotoReferences:
    """Photos, and the answers to them."""

    paths: tuple[Path, ...]
    labels: npt.NDArray[np.int64]
    """`[n]`: the class that each photo is of."""
    probabilities: npt.NDArray[np.float32]
    """`[n,classes]`, of the eager Keras model on the CPU."""

    def save_paths(self, path: Path) -> None:
        """Writes the photos' paths, for `export.session_probe`."""
        path.write_text(json.dumps([str(photo.absolute()) for photo in self.paths]), "utf-8")


def make_references(model: Any, photos: tuple[LabelledPhoto, ...]) -> PhotoReferences:  # noqa: ANN401
    """Asks the model eagerly.

    Args:
        model: float32 `[B,size,size,3]` in 0..1 to probabilities `[B,classes]`.
        photos: at least one.
    """
    with tf.device("/CPU:0"):
        answers = [
            np.asarray(model(batch, training=False))
            for batch in images_of(photos, model.inputs[0].shape[1])
        ]
    return PhotoReferences(
        paths=tuple(photo.path for photo in photos),
        labels=np.array([photo.label for photo in photos]),
        probabilities=np.concatenate(answers),
    )
