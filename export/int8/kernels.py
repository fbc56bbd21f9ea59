"""8-bit operations of TensorFlow that have no Python function, as nodes of the current graph.

An 8-bit value q stands for q * largest / 255 (unsigned; activations) or q * largest / 127 (signed;
weights): ranges are symmetric, there is no zero point. TensorFlow 2.21, oneDNN's CPU kernels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2


@dataclass(frozen=True, kw_only=True)
class Quantized:
    """Activations in 8 bits, never negative."""

    values: tf.Tensor
    """quint8 `[B,h,w,channels]`."""
    largest: float
    """What 255 stands for."""


@dataclass(frozen=True, kw_only=True)
class Filter:
    """A convolution's weights in 8 bits."""

    kernel: tf.Tensor
    """qint8 `[h,w,in,out]`."""
    low: tf.Tensor
    """Float32 `[out]`: what -127 stands for in each output channel."""
    high: tf.Tensor
    """Float32 `[out]`: what 127 stands for. Both are constants: oneDNN takes them for such."""
    bias: tf.Tensor
    """Float32 `[out]`."""


@dataclass(frozen=True, kw_only=True)
class Geometry:
    """How a convolution moves over its input."""

    strides: tuple[int, int]
    dilations: tuple[int, int]
    padding: str
    """SAME, VALID or EXPLICIT."""
    explicit: tuple[int, ...] = ()
    """Zeros before and after each of the four axes, with EXPLICIT."""


def quantize_image(image: tf.Tensor) -> tf.Tensor:
    """Float32 in 0..1, any shape, to the nearest of uint8 0..255; exact for 8-bit pixels."""
    quantized = tf.raw_ops.QuantizeV2(
        input=image,
        min_range=0.0,
        max_range=1.0,
        T=tf.quint8,
        mode="SCALED",
        round_mode="HALF_TO_EVEN",
    )
    return tf.bitcast(quantized.output, tf.uint8)


def dequantize(x: Quantized) -> tf.Tensor:
    """To float32, the same shape."""
    return tf.raw_ops.Dequantize(input=x.values, min_range=0.0, max_range=x.largest, mode="SCALED")


def pad_zeros(x: Quantized, paddings: Any) -> Quantized:  # noqa: ANN401
    """Zeros around; `paddings` as `tf.pad` takes them."""
    padded = tf.pad(tf.bitcast(x.values, tf.uint8), paddings)
    return Quantized(values=tf.bitcast(padded, tf.quint8), largest=x.largest)


def max_pool(
    x: Quantized, window: tuple[int, int], strides: tuple[int, int], padding: str
) -> Quantized:
    """The largest value of each window; `padding` SAME or VALID."""
    pooled = tf.raw_ops.QuantizedMaxPool(
        input=x.values,
        min_input=0.0,
        max_input=x.largest,
        ksize=[1, *window, 1],
        strides=[1, *strides, 1],
        padding=padding,
    )
    return Quantized(values=pooled.output, largest=x.largest)


def convolve(
    x: Quantized,
    weights: Filter,
    geometry: Geometry,
    largest: float,
    *,
    summand: Quantized | None = None,
    has_relu: bool = True,
) -> Quantized:
    """Convolution, bias, sum and ReLU in one operation of 8-bit numbers.

    Args:
        x: what is convolved.
        weights: 8-bit kernel, float32 bias.
        geometry: strides, dilations, padding.
        largest: what 255 stands for in the result; what exceeds it is cut.
        summand: is added before the ReLU; the kernel may write the result over it, so nothing
            that runs later may read it.
        has_relu: without, what is negative is cut to 0 all the same, for the result is unsigned.
    """
    zero = tf.constant(0.0)
    fused = ["BiasAdd", *(["Sum"] if summand else []), *(["Relu"] if has_relu else [])]
    inputs = [x.values, weights.kernel, weights.bias]
    inputs += [summand.values] if summand else []
    inputs += [zero, tf.constant(x.largest), weights.low, weights.high]
    inputs += [zero, tf.constant(summand.largest)] if summand else []
    inputs += [zero, tf.constant(largest)]
    values = _node(
        "_FusedQuantizedConv2D",
        inputs,
        outputs=[tf.quint8, tf.float32, tf.float32],
        attributes={
            "Tinput": _type(tf.quint8),
            "Tfilter": _type(tf.qint8),
            "Tbias": _type(tf.float32),
            "Tsummand": _type(tf.quint8),
            "out_type": _type(tf.quint8),
            "Tdevice_inputs": _types([]),
            "Thost_inputs": _types([tensor.dtype for tensor in inputs]),
            "Tdevice_outputs": _types([]),
            "Thost_outputs": _types([tf.quint8, tf.float32, tf.float32]),
            "data_format": attr_value_pb2.AttrValue(s=b"NHWC"),
            "is_filter_const": attr_value_pb2.AttrValue(b=True),
            "is_bias_const": attr_value_pb2.AttrValue(b=True),
            "strides": _numbers([1, *geometry.strides, 1]),
            "dilations": _numbers([1, *geometry.dilations, 1]),
            "padding": attr_value_pb2.AttrValue(s=geometry.padding.encode()),
            "explicit_paddings": _numbers(geometry.explicit),
            "fused_ops": _texts([*fused, "Requantize"]),
        },
    )[0]
    return Quantized(values=values, largest=largest)


def _node(
    op: str, inputs: list[tf.Tensor], *, outputs: list[tf.DType], attributes: dict[str, Any]
) -> list[tf.Tensor]:
    graph = tf.compat.v1.get_default_graph()
    made = graph.create_op(op, inputs, outputs, attrs=attributes, name=op.lstrip("_"))
    return list(made.outputs)


def _type(dtype: tf.DType) -> attr_value_pb2.AttrValue:
    return attr_value_pb2.AttrValue(type=dtype.as_datatype_enum)


def _types(dtypes: Sequence[tf.DType]) -> attr_value_pb2.AttrValue:
    types = [dtype.as_datatype_enum for dtype in dtypes]
    return attr_value_pb2.AttrValue(list=attr_value_pb2.AttrValue.ListValue(type=types))


def _numbers(numbers: Sequence[int]) -> attr_value_pb2.AttrValue:
    return attr_value_pb2.AttrValue(list=attr_value_pb2.AttrValue.ListValue(i=numbers))


def _texts(texts: Sequence[str]) -> attr_value_pb2.AttrValue:
    encoded = [text.encode() for text in texts]
    return attr_value_pb2.AttrValue(list=attr_value_pb2.AttrValue.ListValue(s=encoded))
