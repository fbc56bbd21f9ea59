"""What a served network has learned: variables, or constants baked into its graph."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

FloatArray = npt.NDArray[np.float32]

Network = Callable[[tf.Tensor], tf.Tensor]

Weight = Callable[[], tf.Tensor]
"""Gives the value where the graph is being traced."""


class Weights:
    """Makes the weights of one form and owns its variables, which the SavedModel must track."""

    def __init__(
        self,
        convolution_dtype: tf.DType,
        *,
        are_frozen: bool = False,
        bias_shift: Mapping[str, FloatArray] = MappingProxyType({}),
    ) -> None:
        """Of `convolution_dtype`; frozen ones are constants of each graph that uses them.

        Args:
            convolution_dtype: of the convolutions' weights.
            are_frozen: constants instead of variables.
            bias_shift: float32 `[units]` by name of a Dense layer, is added to its bias.
        """
        self.convolution_dtype = convolution_dtype
        self.are_frozen = are_frozen
        self.bias_shift = bias_shift
        self.variables: list[tf.Variable] = []
        self.bytes = 0
        """Of all values, each counted once."""

    def traced_once(self, compute: Network, spec: tf.TensorSpec) -> Network:
        """Of a function over the weights: where they are constants, one graph for all callers.

        It would else be written, constants and all, into the graph of each signature.
        """
        return tf.function(compute, input_signature=[spec]) if self.are_frozen else compute

    def add(self, name: str, value: npt.NDArray[Any], dtype: tf.DType) -> Weight:
        """A weight of `dtype`, the float `value` rounded to nearest."""
        rounded = tf.cast(value, dtype)
        self.bytes += rounded.dtype.size * rounded.shape.num_elements()
        if self.are_frozen:
            # A tensor made outside the graph would be captured, as a variable is: an input of the
            # function instead of a constant in it.
            constant = rounded.numpy()
            return lambda: tf.constant(constant, dtype, name=name.replace("/", "_"))
        variable = tf.Variable(rounded, trainable=False, name=name)
        self.variables.append(variable)
        return lambda: variable
