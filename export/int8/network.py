"""The network in 8 bits: a quarter of the bytes, and the fastest form where the CPU has VNNI.

uint8 image -> border -> 8-bit convolutions, max pool -> average, dense, softmax in float32
"""

from typing import Any

import numpy as np
import tensorflow as tf

from export import operations
from export.folding import FoldedLayer, operation_of
from export.int8 import kernels
from export.int8.calibration import Ranges
from export.int8.filters import quantized_filter
from export.int8.kernels import Geometry, Quantized
from export.int8.plan import Convolution, MaxPool, Plan
from export.int8.scaling import bordered, scaling_of
from export.weights import FloatArray, Weights


class QuantizedNetwork:
    """Class probabilities by 8-bit convolutions."""

    def __init__(
        self,
        model: Any,  # noqa: ANN401
        plan: Plan,
        ranges: Ranges,
        weights: Weights,
        weight_range: int,
    ) -> None:
        """Quantizes the model's weights.

        Args:
            model: Functional Keras classifier, float32 image `[None,size,size,3]` in 0..1.
            plan: of this model.
            ranges: of this model, from photos.
            weights: makes what is learned.
            weight_range: FULL_RANGE or SAFE_RANGE of `export.int8.filters`.

        Raises:
            ExportError: the first convolution pads with a colour that no pixel can have.
        """
        size = model.inputs[0].shape[1]
        self._plan, self._ranges = plan, ranges
        convolutions = [node for node in plan.nodes if isinstance(node, Convolution)]
        first = convolutions[0]
        scaling = scaling_of(plan.scaling)
        self._geometry = {node.output: _geometry(node.folded) for node in convolutions}
        self._border, self._geometry[first.output] = bordered(
            first.folded, self._geometry[first.output], scaling, size
        )
        self._filters = {}
        for node in convolutions:
            kernel, bias = self._float_weights(node)
            if node is first:
                kernel, bias = scaling.moved_into(kernel, bias)
            self._filters[node.output] = quantized_filter(
                node.folded.layer.name, kernel, bias, weights, weight_range
            )
        self._tail = [(layer, operation_of(layer, weights)) for layer in plan.tail]
        self._from_pixels = weights.traced_once(
            self._compute, tf.TensorSpec([None, size, size, 3], tf.uint8, name="pixels")
        )

    def __call__(self, image: tf.Tensor) -> tf.Tensor:
        """Float32 `[B,size,size,3]` in 0..1, rounded to 8 bits, to probabilities `[B,classes]`."""
        return self.from_pixels(kernels.quantize_image(image))

    def from_pixels(self, pixels: tf.Tensor) -> tf.Tensor:
        """Uint8 `[B,size,size,3]` to float32 probabilities `[B,classes]`."""
        return self._from_pixels(pixels)

    def _compute(self, pixels: tf.Tensor) -> tf.Tensor:
        image = tf.bitcast(self._border.around(pixels), tf.quint8)
        made = {self._plan.image: Quantized(values=image, largest=1.0)}
        for node in self._plan.nodes:
            if isinstance(node, MaxPool):
                made[node.output] = _pooled(node, made)
            else:
                made[node.output] = self._convolved(node, made)
        first, *_ = self._plan.tail
        values = {first.inputs[0]: kernels.dequantize(made[first.inputs[0]])}
        for layer, operation in self._tail:
            values[layer.output] = operation(*(values[key] for key in layer.inputs))
        return values[self._plan.tail[-1].output]

    def _convolved(self, node: Convolution, made: dict[int, Quantized]) -> Quantized:
        return kernels.convolve(
            made[node.input],
            self._filters[node.output](),
            self._geometry[node.output],
            self._ranges.largest[node.output],
            summand=None if node.summand is None else made[node.summand],
            has_relu=not node.is_projection,
        )

    def _float_weights(self, node: Convolution) -> tuple[FloatArray, FloatArray]:
        """A projection is lifted above zero by its offset; what adds it takes the offset back."""
        kernel, bias = operations.folded_weights(node.folded.layer, node.folded.norm)
        offset = self._ranges.offset
        if node.is_projection:
            bias = bias + offset[node.output]
        elif node.summand in offset:
            bias = bias - offset[node.summand]
        return kernel, bias


def _pooled(node: MaxPool, made: dict[int, Quantized]) -> Quantized:
    settings = node.folded.layer.get_config()
    x = made[node.input]
    if node.padding is not None:
        x = kernels.pad_zeros(x, operations.explicit_padding(node.padding))
    return kernels.max_pool(
        x, settings["pool_size"], settings["strides"], settings["padding"].upper()
    )


def _geometry(folded: FoldedLayer) -> Geometry:
    settings = folded.layer.get_config()
    strides, dilations = settings["strides"], settings["dilation_rate"]
    if folded.padding is None:
        return Geometry(strides=strides, dilations=dilations, padding=settings["padding"].upper())
    explicit = tuple(np.ravel(operations.explicit_padding(folded.padding)).tolist())
    return Geometry(strides=strides, dilations=dilations, padding="EXPLICIT", explicit=explicit)
