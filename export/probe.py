"""The photos that a model is tried with, and what the eager Keras model answers to them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from export.signatures import CLASSIFY
from export.warmup import example_of
from graphmode.photo import photo_to_image

ROWS = 3
_SEED = 20


@dataclass(frozen=True, kw_only=True)
class Probe:
    """Inputs of three rows, and the reference answers."""

    images: npt.NDArray[np.uint8]
    """`[3,size,size,3]`."""

    photos: tuple[bytes, ...]
    """Three encoded photos of sizes other than the network's."""

    image_probabilities: npt.NDArray[np.float32]
    """Float32 `[3,classes]`, for `images`."""

    photo_probabilities: npt.NDArray[np.float32]
    """The same for `photos`."""

    def save(self, path: Path) -> None:
        """Writes the inputs, without the references, for `export.session_probe`."""
        arrays: dict[str, Any] = {"uint8": self.images, "float32": _scaled(self.images)}
        for index, photo in enumerate(self.photos):
            arrays[f"photo_{index}"] = np.frombuffer(photo, np.uint8)
        np.savez(path, allow_pickle=False, **arrays)

    def input(self, signature: str) -> Any:  # noqa: ANN401
        """The signature's input, three rows."""
        if signature == "serving_default":
            return _scaled(self.images)
        if signature == "uint8":
            return self.images
        if signature == CLASSIFY:
            return np.array(
                [example_of(photo).SerializeToString() for photo in self.photos], object
            )
        return np.array(self.photos, object)

    def reference(self, signature: str) -> npt.NDArray[np.float32]:
        """The probabilities that the eager model gives for the signature's inputs."""
        if signature in {"serving_default", "uint8"}:
            return self.image_probabilities
        return self.photo_probabilities


def make_probe(model: Any) -> Probe:  # noqa: ANN401
    """Draws the inputs (always the same ones) and asks the Keras model eagerly.

    The references are computed on the CPU, where the gates run the export: a GPU may round to
    TensorFloat-32, which costs more than the fp32 tolerance.

    Args:
        model: float32 `[B,size,size,3]` in 0..1 to probabilities `[B,classes]`.
    """
    size = model.inputs[0].shape[1]
    random = np.random.default_rng(_SEED)
    images = np.stack([_smooth_image(random, size, size) for _ in range(ROWS)])
    pictures = [_smooth_image(random, size + 24, size + 9 * index) for index in range(ROWS)]
    encoders = (tf.io.encode_jpeg, tf.io.encode_png, tf.io.encode_jpeg)
    photos = tuple(
        bytes(encode(picture).numpy()) for encode, picture in zip(encoders, pictures, strict=True)
    )
    with tf.device("/CPU:0"):
        decoded = tf.stack([photo_to_image(photo, size) for photo in photos])
        return Probe(
            images=images,
            photos=photos,
            image_probabilities=np.asarray(model(_scaled(images), training=False)),
            photo_probabilities=np.asarray(model(decoded, training=False)),
        )


def _scaled(images: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    return images.astype(np.float32) / np.float32(255)


def _smooth_image(random: np.random.Generator, height: int, width: int) -> npt.NDArray[np.uint8]:
    """A random picture with the large shapes of a photo, which white noise has not."""
    coarse = random.uniform(0, 255, (6, 6, 3)).astype(np.float32)
    return np.asarray(tf.cast(tf.image.resize(coarse, (height, width), "bilinear"), tf.uint8))
