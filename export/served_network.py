"""The network of a form, read from the trained Keras model."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from export.bias_correction import bias_shift
from export.config import ExportConfig
from export.folding import FoldedNetwork
from export.forms import Form
from export.int8.calibration import calibrate
from export.int8.filters import FULL_RANGE, SAFE_RANGE
from export.int8.network import QuantizedNetwork
from export.int8.plan import plan_of
from export.photos import LabelledPhoto, Photos
from export.processor import Processor
from export.weights import Weights
from graphmode.photo import photo_to_image

_BATCH = 16
_DTYPES = {"fp32": tf.float32, "bf16": tf.bfloat16, "int8": tf.float32}


class Network(Protocol):
    """Class probabilities, float32 `[B,classes]`."""

    def __call__(self, image: tf.Tensor) -> tf.Tensor:
        """Of float32 `[B,size,size,3]` in 0..1."""

    def from_pixels(self, pixels: tf.Tensor) -> tf.Tensor:
        """Of uint8 `[B,size,size,3]`."""


@dataclass(frozen=True, kw_only=True)
class ServedNetwork:
    """A network and what it has learned."""

    network: Network
    weights: Weights
    facts: dict[str, Any]
    """What export.json tells of how it was made."""


def make_network(
    model: Any,  # noqa: ANN401
    form: Form,
    config: ExportConfig,
    photos: Photos | None,
) -> ServedNetwork:
    """Folds the Keras model; rounds it on what photos show, where it is not fp32.

    Args:
        model: the trained Keras model.
        form: precision, variables or frozen.
        config: the range of 8-bit weights.
        photos: may be None for fp32.

    Raises:
        ExportError: a layer that cannot be folded, or has no place in 8 bits.
    """
    dtype, are_frozen = _DTYPES[form.precision], form.weights == "frozen"
    if form.precision == "fp32":
        weights = Weights(dtype, are_frozen=are_frozen)
        return ServedNetwork(network=FoldedNetwork(model, weights), weights=weights, facts={})
    assert photos is not None
    batches = partial(images_of, photos.calibration, model.inputs[0].shape[1])
    facts: dict[str, Any] = {"calibration_photos": len(photos.calibration)}
    build: Callable[[Weights], Network] = partial(FoldedNetwork, model)
    if form.precision == "int8":
        facts["int8_weights"] = _weight_range(config)
        build = _quantized(model, batches(), facts["int8_weights"])
    shift = bias_shift(model, build(Weights(dtype)), batches)
    weights = Weights(dtype, are_frozen=are_frozen, bias_shift=shift)
    return ServedNetwork(network=build(weights), weights=weights, facts=facts)


def images_of(photos: tuple[LabelledPhoto, ...], size: int) -> Iterator[npt.NDArray[np.float32]]:
    """Batches of decoded photos, float32 `[B,size,size,3]` in 0..1."""
    for begin in range(0, len(photos), _BATCH):
        batch = photos[begin : begin + _BATCH]
        yield np.stack([photo_to_image(photo.path.read_bytes(), size) for photo in batch])


def _quantized(
    model: Any,  # noqa: ANN401
    batches: Iterable[npt.NDArray[np.float32]],
    weight_range: int,
) -> Callable[[Weights], Network]:
    plan = plan_of(model)
    ranges = calibrate(model, plan, batches)
    return lambda weights: QuantizedNetwork(model, plan, ranges, weights, weight_range)


def _weight_range(config: ExportConfig) -> int:
    if config.int8_weights == "auto":
        return FULL_RANGE if Processor().has_vnni else SAFE_RANGE
    return int(config.int8_weights)
