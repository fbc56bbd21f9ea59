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
from export.operations import Operation, Weights

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
class _Step:
    """One layer: what it reads and writes (identities of Keras tensors) and what it computes."""

    inputs: tuple[int, ...]
    output: int
    operation: Operation


class FoldedNetwork:
    """Class probabilities by plain TensorFlow operations, without Keras.

    It owns `variables`, which whatever is saved must track: two for a convolution, two for Dense.
    """

    def __init__(self, model: Any, convolution_dtype: tf.DType) -> None:  # noqa: ANN401
        """Reads a Functional Keras 3 model with one input and one softmax output.

        Args:
            model: layers of the kinds in the table above, each used once.
            convolution_dtype: tf.float32 or tf.bfloat16; normalisation before the first
                convolution and everything after the last are float32 in both.

        Raises:
            ExportError: a layer that has no entry in the table, named with what has one; or an
                output that is not a softmax.
        """
        _check_softmax(model)
        weights = Weights(convolution_dtype)
        self._input, self._output = id(model.inputs[0]), id(model.outputs[0])
        self._steps = _read_steps(model, weights)
        self.variables: list[tf.Variable] = weights.variables

    def __call__(self, image: tf.Tensor) -> tf.Tensor:
        """Float32 `[B,H,W,3]` in 0..1 to float32 probabilities `[B,classes]`."""
        values = {self._input: image}
        for step in self._steps:
            values[step.output] = step.operation(*(values[key] for key in step.inputs))
        return values[self._output]


def _read_steps(model: Any, weights: Weights) -> list[_Step]:  # noqa: ANN401
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
        _step(layer, paddings.get(id(layer)), norms.get(id(layer)), weights)
        for layer in layers
        if id(layer) not in folded
    ]


def _step(
    layer: Any,  # noqa: ANN401
    padding: Any | None,  # noqa: ANN401
    norm: Any | None,  # noqa: ANN401
    weights: Weights,
) -> _Step:
    if type(layer).__name__ == "Conv2D":
        operation = operations.convolution(layer, padding, norm, weights)
    else:
        operation = _OPERATIONS[type(layer).__name__](layer, weights)
    first = layer if padding is None else padding
    last = layer if norm is None else norm
    return _Step(inputs=_inputs(first), output=id(last.output), operation=operation)


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
