"""A convolution's weights in 8 bits, one range for each output channel."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from export.int8.kernels import Filter
from export.weights import FloatArray, Weights

FULL_RANGE = 127
"""Largest 8-bit weight where the CPU adds up products in 32 bits (VNNI)."""

SAFE_RANGE = 63
"""Where it does not: there it adds up two products u8 x s8 in 16 bits, and 2 x 255 x 63 fits. The
two are of neighbouring input channels, so a channel whose neighbours' weights are small, or of
another sign, may go beyond."""

_MOST_PAIR = 127
"""What two neighbours may add up to before they are rounded: 255 x (127 + 1) fits in 16 bits."""


def quantized_filter(
    name: str, kernel: FloatArray, bias: FloatArray, weights: Weights, weight_range: int
) -> Callable[[], Filter]:
    """Rounds a kernel to nearest.

    Args:
        name: the layer's.
        kernel: `[h,w,in,out]`.
        bias: `[out]`, stays float32.
        weights: makes what is learned.
        weight_range: FULL_RANGE, what the largest weight of each output channel becomes, or
            SAFE_RANGE, what it becomes at least.

    Returns:
        What gives the filter where the graph is being traced.
    """
    largest = np.maximum(np.abs(kernel).max(axis=(0, 1, 2)), np.finfo(np.float32).tiny)
    ranges = np.full(kernel.shape[-1], FULL_RANGE)
    if weight_range == SAFE_RANGE:
        ranges = _ranges_without_overflow(kernel / largest)
    rounded = np.rint(kernel / largest * ranges).astype(np.int8)
    kernel_weight = weights.add(f"{name}/kernel", rounded, tf.int8)
    bias_weight = weights.add(f"{name}/bias", bias, tf.float32)
    # 127 is what the kernels' ranges speak of.
    spanned = (largest * (127 / ranges)).astype(np.float32)
    return lambda: Filter(
        kernel=tf.bitcast(kernel_weight(), tf.qint8),
        low=tf.constant(-spanned),
        high=tf.constant(spanned),
        bias=tf.convert_to_tensor(bias_weight()),
    )


def _ranges_without_overflow(kernel: FloatArray) -> npt.NDArray[np.int64]:
    """What 1 may become in each output channel, `[out]`; the kernel is in -1..1."""
    height, width, inputs, outputs = kernel.shape
    if inputs % 2:
        # Neighbours are then of different places, too.
        return np.full(outputs, SAFE_RANGE)
    pairs = kernel.reshape(height, width, inputs // 2, 2, outputs)
    sums = [np.maximum(sign * pairs, 0).sum(axis=3) for sign in (1, -1)]
    return np.floor(np.minimum(FULL_RANGE, _MOST_PAIR / np.max(sums, axis=(0, 1, 2, 3)))).astype(
        int
    )
