"""The network as it is trained: what it computes in, and its batch norm."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import keras

from training.config import TrainConfig
from training.fused_batch_norm import FusedBatchNormalization
from training.network import NETWORKS


def trainable_network(config: TrainConfig, classes: int) -> keras.Model:
    """Give `config.network` for any image size; its variables fit the one that is saved."""
    norm = FusedBatchNormalization if config.fused_batch_norm else keras.layers.BatchNormalization
    if config.strategy != "single":
        # The statistics of the global batch, as one worker would have them.
        norm = partial(keras.layers.BatchNormalization, synchronized=True)
    with _computing_in(config.precision):
        return NETWORKS[config.network](classes, image_size=None, batch_norm=norm)


@contextmanager
def _computing_in(precision: str) -> Iterator[None]:
    """Have layers that are made meanwhile compute in a precision; their weights are float32."""
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_bfloat16" if precision == "bfloat16" else "float32")
    try:
        yield
    finally:
        keras.config.set_dtype_policy(before)
