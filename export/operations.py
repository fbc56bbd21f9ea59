"""What each Keras layer computes at inference, in the TensorFlow operations that grappler fuses.

Convolution, bias_add, add and relu stand next to one another as separate nodes: at load time the
remapper of the machine that serves makes one `_MklNativeFusedConv2D` of them. A fusion baked in
here would fail on a machine without oneDNN.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from export.errors import ExportError
from export.weights import FloatArray, Weights

Operation = Callable[..., tf.Tensor]

ACTIVATIONS: dict[str, Operation] = {
    "linear": lambda x: x,
    "relu": tf.nn.relu,
    "softmax": lambda x: tf.nn.softmax(tf.cast(x, tf.float32)),
}


def convolution(
    layer: Any,  # noqa: ANN401
    padding: Any | None,  # noqa: ANN401
    norm: Any | None,  # noqa: ANN401
    weights: Weights,
) -> Operation:
    """A Conv2D with the ZeroPadding2D before it and the batch norm after it, where there are any.

    The batch norm is folded into kernel and bias, the padding is the convolution's own.

    What is computed is of the weights' dtype: the input is cast to it.
    """
    settings = layer.get_config()
    kernel_value, bias_value = folded_weights(layer, norm)
    dtype = weights.convolution_dtype
    kernel = weights.add(f"{layer.name}/kernel", kernel_value, dtype)
    bias = weights.add(f"{layer.name}/bias", bias_value, dtype)
    activation = activation_named(settings["activation"], layer)
    explicit = None if padding is None else explicit_padding(padding)

    def run(x: tf.Tensor) -> tf.Tensor:
        summed = tf.nn.conv2d(
            tf.cast(x, dtype),
            kernel(),
            strides=settings["strides"],
            padding=explicit or settings["padding"].upper(),
            dilations=settings["dilation_rate"],
        )
        return activation(tf.nn.bias_add(summed, bias()))

    return run


def batch_norm(layer: Any, _: Weights) -> Operation:  # noqa: ANN401
    """A batch norm that follows no convolution: one multiplication and one addition."""
    return _affine(*scale_and_offset(layer))


def rescaling(layer: Any, _: Weights) -> Operation:  # noqa: ANN401
    """Keras' Rescaling; stays float32, because it comes before the first convolution."""
    return _affine(*rescaling_scale_and_offset(layer))


def normalization(layer: Any, _: Weights) -> Operation:  # noqa: ANN401
    """Keras' Normalization with its adapted or given mean and variance."""
    return _affine(*normalization_scale_and_offset(layer))


def rescaling_scale_and_offset(layer: Any) -> tuple[FloatArray, FloatArray]:  # noqa: ANN401
    """Of x * scale + offset; each a scalar or one number a channel."""
    settings = layer.get_config()
    return np.asarray(settings["scale"], np.float32), np.asarray(settings["offset"], np.float32)


def normalization_scale_and_offset(layer: Any) -> tuple[FloatArray, FloatArray]:  # noqa: ANN401
    """Of x * scale + offset; as Keras keeps them, `[1,1,1,channels]`."""
    mean, variance = np.asarray(layer.mean), np.asarray(layer.variance)
    epsilon = 1e-7  # keras.backend.epsilon(), Keras' bound on the divisor
    scale = 1 / np.maximum(np.sqrt(variance), epsilon)
    return scale, -mean * scale


def dense(layer: Any, weights: Weights) -> Operation:  # noqa: ANN401
    """The classifier; float32 in every precision, because rounded logits cost agreement."""
    kernel = weights.add(f"{layer.name}/kernel", np.asarray(layer.kernel), tf.float32)
    bias_value = np.asarray(layer.bias) if layer.use_bias else np.zeros(layer.units, np.float32)
    bias_value = bias_value + weights.bias_shift.get(layer.name, np.float32(0))
    bias = weights.add(f"{layer.name}/bias", bias_value, tf.float32)
    activation = activation_named(layer.get_config()["activation"], layer)
    return lambda x: activation(
        tf.nn.bias_add(tf.linalg.matmul(tf.cast(x, tf.float32), kernel()), bias())
    )


def zero_padding(layer: Any, _: Weights) -> Operation:  # noqa: ANN401
    """ZeroPadding2D."""
    paddings = explicit_padding(layer)
    return lambda x: tf.pad(x, paddings)


def explicit_padding(layer: Any) -> list[list[int]]:  # noqa: ANN401
    """A ZeroPadding2D's zeros before and after each of the four axes."""
    rows, columns = layer.get_config()["padding"]
    return [[0, 0], list(rows), list(columns), [0, 0]]


def max_pooling(layer: Any, _: Weights) -> Operation:  # noqa: ANN401
    """MaxPooling2D."""
    settings = layer.get_config()
    window, strides, padding = (settings[key] for key in ("pool_size", "strides", "padding"))
    return lambda x: tf.nn.max_pool2d(x, window, strides, padding.upper())


def average_pooling(layer: Any, _: Weights) -> Operation:  # noqa: ANN401
    """GlobalAveragePooling2D, summed in float32 in every precision."""
    keeps_dims = layer.get_config()["keepdims"]
    return lambda x: tf.reduce_mean(tf.cast(x, tf.float32), axis=[1, 2], keepdims=keeps_dims)


def activation_layer(layer: Any, _: Weights) -> Operation:  # noqa: ANN401
    """Activation, by its name."""
    return activation_named(layer.get_config()["activation"], layer)


def relu(layer: Any, _: Weights) -> Operation:  # noqa: ANN401
    """ReLU without a ceiling, a leak or a threshold."""
    settings = layer.get_config()
    odd = [key for key in ("max_value", "negative_slope", "threshold") if settings[key]]
    if odd:
        raise ExportError(f'layer "{layer.name}" (ReLU): {", ".join(odd)} is not supported')
    return tf.nn.relu


def softmax(_: Any, __: Weights) -> Operation:  # noqa: ANN401
    """Softmax over the classes, in float32."""
    return ACTIVATIONS["softmax"]


def add(_: Any, __: Weights) -> Operation:  # noqa: ANN401
    """Add of two or more tensors."""
    return lambda *xs: reduce(tf.add, xs)


def activation_named(name: object, layer: Any) -> Operation:  # noqa: ANN401
    """The operation of a Keras activation.

    Raises:
        ExportError: for an activation that is not linear, relu or softmax.
    """
    if isinstance(name, str) and name in ACTIVATIONS:
        return ACTIVATIONS[name]
    raise ExportError(
        f'layer "{layer.name}" ({type(layer).__name__}): activation {name!r} is not supported; '
        f"supported: {', '.join(ACTIVATIONS)}"
    )


def scale_and_offset(norm: Any) -> tuple[FloatArray, FloatArray]:  # noqa: ANN401
    """Batch norm at inference is x * scale + offset; both `[channels]`, computed in float64."""
    mean = np.asarray(norm.moving_mean, np.float64)
    variance = np.asarray(norm.moving_variance, np.float64)
    gamma = np.asarray(norm.gamma, np.float64) if norm.scale else np.ones_like(mean)
    beta = np.asarray(norm.beta, np.float64) if norm.center else np.zeros_like(mean)
    scale = gamma / np.sqrt(variance + norm.epsilon)
    return scale.astype(np.float32), (beta - mean * scale).astype(np.float32)


def folded_weights(layer: Any, norm: Any | None) -> tuple[FloatArray, FloatArray]:  # noqa: ANN401
    """A Conv2D's kernel `[h,w,in,out]` and bias `[out]`, the batch norm after it folded in.

    Raises:
        ExportError: the convolution is not a plain one over the last axis.
    """
    settings = layer.get_config()
    if settings["data_format"] != "channels_last" or settings["groups"] != 1:
        raise ExportError(
            f'layer "{layer.name}" (Conv2D): expected data_format channels_last and groups 1, '
            f"got {settings['data_format']} and {settings['groups']}"
        )
    kernel = np.asarray(layer.kernel)
    bias = np.asarray(layer.bias) if layer.use_bias else np.zeros(layer.filters, np.float32)
    if norm is None:
        return kernel, bias
    scale, offset = scale_and_offset(norm)
    return kernel * scale, bias * scale + offset  # output channels come last


def _affine(scale: npt.ArrayLike, offset: npt.ArrayLike) -> Operation:
    def run(x: tf.Tensor) -> tf.Tensor:
        return x * tf.constant(scale, x.dtype) + tf.constant(offset, x.dtype)

    return run
