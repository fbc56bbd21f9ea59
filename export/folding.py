"""The network for serving: a Keras model's graph, batch norm folded into its convolutions.

Keras:   image - Rescaling - Conv2D - BatchNormalization - ReLU - ... - Dense(softmax)
                     |         |             |              |                 |
folded:  image -   x*a+b   - conv2d(kernel*scale)+bias  -  relu - ... -  matmul, softmax
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from export import operations
from export.errors import ExportError
from export.operations import Operation
from export.weights import Weights
from graphmode.photo import scale_pixels

_OPERATIONS: dict[str, Callable[[Any, Weights], Operation]] = {
    "Rescaling": operations.rescaling,
    "Normalization": operations.normalization,
    "ZeroPadding2D": operations.zero_padding,
    "BatchNormalization": operations.batch_norm,
    "ReLU": operations.relu,
    "Activation": operations.activation_layer,
    "Add": operations.add,
    "MaxPooling2D": operations.max_pooling,
    "GlobalAveragePooling2D": operations.average_pooling,
    "Dense": operations.dense,
    "Softmax": operations.softmax,
}
_SUPPORTED = ("InputLayer", "Conv2D", *_OPERATIONS)


@dataclass(frozen=True, kw_only=True)
class FoldedLayer:
    """A layer with those beside it that it computes along."""

    layer: Any
    padding: Any | None
    """The ZeroPadding2D before a convolution."""
    norm: Any | None
    """The batch norm after a convolution."""
    inputs: tuple[int, ...]
    """Identities of the Keras tensors that it reads."""
    output: int
    """Identity of the Keras tensor that it writes."""

    @property
    def kind(self) -> str:
        """The Keras class: Conv2D, ReLU, ..."""
        return type(self.layer).__name__

    @property
    def name(self) -> str:
        """As an error calls it."""
        return f'layer "{self.layer.name}" ({self.kind})'


class FoldedNetwork:
    """Class probabilities by plain TensorFlow operations, without Keras.

    Its variables, two for a convolution and two for Dense, are those of the `Weights` it is given,
    which whatever is saved must track.
    """

    def __init__(self, model: Any, weights: Weights) -> None:  # noqa: ANN401
        """Reads a Functional Keras 3 model with one input and one softmax output.

        Args:
            model: layers of the kinds in the table above, each used once.
            weights: makes what is learned; normalisation before the first convolution and
                everything after the last are float32 whatever its dtype.

        Raises:
            ExportError: a layer that has no entry in the table, named with what has one; or an
                output that is not a softmax.
        """
        self._input, self._output = id(model.inputs[0]), id(model.outputs[0])
        self._steps = [(layer, operation_of(layer, weights)) for layer in read_layers(model)]
        self._probabilities = weights.traced_once(
            lambda image: self.values(image)[self._output],
            tf.TensorSpec([None, *model.inputs[0].shape[1:]], tf.float32, name="image"),
        )

    def __call__(self, image: tf.Tensor) -> tf.Tensor:
        """Float32 `[B,H,W,3]` in 0..1 to float32 probabilities `[B,classes]`."""
        return self._probabilities(image)

    def from_pixels(self, pixels: tf.Tensor) -> tf.Tensor:
        """Uint8 `[B,H,W,3]` to float32 probabilities `[B,classes]`."""
        return self(scale_pixels(pixels))

    def values(self, image: tf.Tensor) -> dict[int, tf.Tensor]:
        """What each layer gives, by the identity of its Keras tensor."""
        values = {self._input: image}
        for layer, operation in self._steps:
            values[layer.output] = operation(*(values[key] for key in layer.inputs))
        return values


def read_layers(model: Any) -> list[FoldedLayer]:  # noqa: ANN401
    """The model's layers in the order of computation, batch norms and paddings folded in.

    Raises:
        ExportError: as `FoldedNetwork`.
    """
    _check_softmax(model)
    layers = [layer for layer in model.operations if type(layer).__name__ != "InputLayer"]
    for layer in layers:
        _check_supported(layer)
    readers = Counter(key for layer in layers for key in _inputs(layer))
    producers = {id(layer.output): layer for layer in layers}
    paddings, norms = {}, {}
    for layer in layers:
        before = producers.get(_inputs(layer)[0])
        if _is_own_padding(before, layer, readers):
            paddings[id(layer)] = before
        if _can_fold(before, layer, readers):
            norms[id(before)] = layer
    folded = {id(layer) for layer in (*paddings.values(), *norms.values())}
    return [
        _folded(layer, paddings.get(id(layer)), norms.get(id(layer)))
        for layer in layers
        if id(layer) not in folded
    ]


def _folded(layer: Any, padding: Any | None, norm: Any | None) -> FoldedLayer:  # noqa: ANN401
    first = layer if padding is None else padding
    last = layer if norm is None else norm
    return FoldedLayer(
        layer=layer, padding=padding, norm=norm, inputs=_inputs(first), output=id(last.output)
    )


def operation_of(folded: FoldedLayer, weights: Weights) -> Operation:
    """What the layer computes, with weights of its own."""
    if folded.kind == "Conv2D":
        return operations.convolution(folded.layer, folded.padding, folded.norm, weights)
    return _OPERATIONS[folded.kind](folded.layer, weights)


def _is_own_padding(before: Any | None, layer: Any, readers: Counter[int]) -> bool:  # noqa: ANN401
    """Zeros that an unpadded convolution alone reads are its padding."""
    return (
        before is not None
        and type(layer).__name__ == "Conv2D"
        and type(before).__name__ == "ZeroPadding2D"
        and layer.get_config()["padding"] == "valid"
        and readers[id(before.output)] == 1
    )


def _can_fold(before: Any | None, layer: Any, readers: Counter[int]) -> bool:  # noqa: ANN401
    """A batch norm folds into a convolution without activation whose output it alone reads."""
    return (
        before is not None
        and type(layer).__name__ == "BatchNormalization"
        and type(before).__name__ == "Conv2D"
        and before.get_config()["activation"] == "linear"
        and readers[id(before.output)] == 1
    )


def _inputs(layer: Any) -> tuple[int, ...]:  # noqa: ANN401
    tensors = layer.input if isinstance(layer.input, list | tuple) else [layer.input]
    return tuple(id(tensor) for tensor in tensors)


def _check_softmax(model: Any) -> None:  # noqa: ANN401
    """The contract's `probabilities` are a softmax; logits would be served under that name."""
    last = next(layer for layer in model.operations if layer.output is model.outputs[0])
    if type(last).__name__ != "Softmax" and last.get_config().get("activation") != "softmax":
        raise ExportError(
            f'the model ends in layer "{last.name}" ({type(last).__name__}), '
            "expected a softmax: its output is served as probabilities"
        )


def _check_supported(layer: Any) -> None:  # noqa: ANN401
    kind = type(layer).__name__
    if kind not in _SUPPORTED:
        raise ExportError(
            f'layer "{layer.name}" is a {kind}, which the export cannot fold; '
            f"supported: {', '.join(_SUPPORTED)}"
        )
    if len(layer._inbound_nodes) != 1:  # noqa: SLF001 Keras has no public count of a layer's uses
        raise ExportError(f'layer "{layer.name}" ({kind}) is used more than once in the network')
