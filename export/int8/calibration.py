"""What 8 bits must span: the largest values that training photos bring about.

A percentile instead of the maximum agreed less with fp32.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from export.folding import FoldedNetwork
from export.int8.plan import Convolution, Plan
from export.weights import FloatArray, Weights


@dataclass(frozen=True, kw_only=True)
class Ranges:
    """By the identity of a Keras tensor."""

    largest: dict[int, float]
    """Of a ReLU's output: its maximum; of a projection: that of `x + offset`."""
    offset: dict[int, FloatArray]
    """Of a projection, `[channels]`: what makes its output positive."""


def calibrate(model: Any, plan: Plan, batches: Iterable[npt.NDArray[np.float32]]) -> Ranges:  # noqa: ANN401
    """Runs the fp32 network on photos.

    Args:
        model: the Keras model that the plan was made of.
        plan: says whose ranges are wanted.
        batches: images float32 `[B,size,size,3]` in 0..1.
    """
    network = FoldedNetwork(model, Weights(tf.float32))
    nodes = [node for node in plan.nodes if isinstance(node, Convolution)]

    @tf.function(input_signature=[tf.TensorSpec([None, *model.inputs[0].shape[1:]], tf.float32)])
    def extremes(image: tf.Tensor) -> dict[str, tuple[tf.Tensor, tf.Tensor]]:
        """By the node's number, the least and the largest value of each channel; one trace."""
        values = network.values(image)
        return {
            str(number): tuple(
                reduce(values[node.output], axis=[0, 1, 2])
                for reduce in (tf.reduce_min, tf.reduce_max)
            )
            for number, node in enumerate(nodes)
        }

    seen = [tf.nest.map_structure(np.asarray, extremes(tf.constant(batch))) for batch in batches]
    return _ranges(nodes, seen)


def _ranges(nodes: list[Convolution], seen: list[dict[str, Any]]) -> Ranges:
    largest: dict[int, float] = {}
    offset: dict[int, FloatArray] = {}
    for number, node in enumerate(nodes):
        low = np.min([one[str(number)][0] for one in seen], axis=0)
        high = np.max([one[str(number)][1] for one in seen], axis=0)
        if node.is_projection:
            offset[node.output] = -np.minimum(low, 0)
            high = high + offset[node.output]
        # A ReLU that never opened still needs a range.
        largest[node.output] = float(max(high.max(), np.finfo(np.float32).tiny))
    return Ranges(largest=largest, offset=offset)
