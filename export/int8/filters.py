"""A convolution's weights in 8 bits, one range for each output channel."""

from collections.abc import Callable

import numpy as np
import tensorflow as tf

from export.int8.kernels import Filter
from export.weights import FloatArray, Weights

FULL_RANGE = 127
"""Largest 8-bit weight where the CPU adds up products in 32 bits (VNNI)."""

SAFE_RANGE = 63
"""Where it does not: it adds two products u8 x s8 in 16 bits, and 2 x 255 x 63 fits there."""


def quantized_filter(
    name: str, kernel: FloatArray, bias: FloatArray, weights: Weights, weight_range: int
) -> Callable[[], Filter]:
    """Rounds a kernel to nearest.

    Args:
        name: the layer's.
        kernel: `[h,w,in,out]`.
        bias: `[out]`, stays float32.
        weights: makes what is learned.
        weight_range: FULL_RANGE or SAFE_RANGE, what the largest weight of a channel becomes.

    Returns:
        What gives the filter where the graph is being traced.
    """
    largest = np.maximum(np.abs(kernel).max(axis=(0, 1, 2)), np.finfo(np.float32).tiny)
    rounded = np.rint(kernel / largest * weight_range).astype(np.int8)
    kernel_weight = weights.add(f"{name}/kernel", rounded, tf.int8)
    bias_weight = weights.add(f"{name}/bias", bias, tf.float32)
    # 127 is what the kernels' ranges speak of.
    spanned = (largest * (127 / weight_range)).astype(np.float32)
    return lambda: Filter(
        kernel=tf.bitcast(kernel_weight(), tf.qint8),
        low=tf.constant(-spanned),
        high=tf.constant(spanned),
        bias=tf.convert_to_tensor(bias_weight()),
    )
