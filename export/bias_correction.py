"""What rounding does to all photos alike, taken back in the classifier's bias.

Weights rounded to bf16 or int8 move the logits of every photo a little the same way, and photos
that were near the border all change sides together. The mean of that shift over training photos is
known before serving, and costs nothing to take back.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from export.folding import FoldedNetwork, read_layers
from export.weights import FloatArray, Network, Weights

_LEAST = np.finfo(np.float32).tiny


def bias_shift(
    model: Any,  # noqa: ANN401
    rounded: Network,
    batches: Callable[[], Iterable[npt.NDArray[np.float32]]],
) -> dict[str, FloatArray]:
    """What to add to the last Dense layer's bias, by its name; empty where there is none.

    Args:
        model: the Keras model.
        rounded: its network of another precision.
        batches: gives images float32 `[B,size,size,3]` in 0..1, the same ones each time.
    """
    dense = [layer.layer for layer in read_layers(model) if layer.kind == "Dense"]
    if not dense or dense[-1].units != model.outputs[0].shape[-1]:
        return {}
    spec = tf.TensorSpec([None, *model.inputs[0].shape[1:]], tf.float32)
    exact, moved = (
        _log_probabilities(tf.function(network, input_signature=[spec]), batches())
        for network in (FoldedNetwork(model, Weights(tf.float32)), rounded)
    )
    return {dense[-1].name: (exact - moved).mean(axis=0).astype(np.float32)}


def _log_probabilities(
    network: Network, batches: Iterable[npt.NDArray[np.float32]]
) -> npt.NDArray[np.float64]:
    """`[n,classes]`: the logits but for one number a photo, which softmax takes out again."""
    answers = np.concatenate([network(tf.constant(batch)).numpy() for batch in batches])
    return np.asarray(np.log(np.maximum(answers.astype(np.float64), _LEAST)))
