"""Table 6.2: one training step, from eager to what `make train` runs.

Every subject starts from the same weights and takes the same batches in the same order, and waits
for each step's loss.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

import keras
import tensorflow as tf

from training.benchmark.interleaved import Subject
from training.config import PRESETS, TrainConfig
from training.dataset import Batch, DecodedPhotos, train_batches
from training.network import logits_of
from training.optimizer import make_optimizer
from training.photo_folder import Photo
from training.speed import Speed
from training.step import make_averages, make_train_step, smoothed_losses, trace_count
from training.trainable import trainable_network

_CLASSES = 2
_STEPS = 10**6
"""So many that the learning rate is the same in all rounds."""

EAGER = "eager"
GRAPH_DEFAULT = "graph, default"
GRAPH_FIXED = "graph, fixed signature"
XLA = "graph, fixed signature, XLA"
FIT = "keras.Model.fit"
FUSED = "graph, fused batch norm"
BF16 = "graph, bfloat16"
FUSED_BF16 = "graph, fused batch norm, bfloat16"


def bench_config(network: str, size: int, batch_size: int) -> TrainConfig:
    """The settings that all subjects share; batch norm and precision are Keras' defaults."""
    return replace(
        PRESETS["full"],
        network="tiny" if network == "tiny" else "resnet18",
        course=(f"{size}x2",),
        batch_size=batch_size,
        precision="float32",
        fused_batch_norm=False,
        average_decay=0.0,
    )


def train_subjects(config: TrainConfig, batches: tf.data.Dataset) -> tuple[Subject, ...]:
    """The rows of the table.

    Args:
        config: from `bench_config`.
        batches: float32 [B, S, S, 3] in 0..1 and int32 [B], the same in each round.
    """
    weights = trainable_network(config, _CLASSES).get_weights()

    def ours(name: str, what: str, **settings: object) -> Subject:
        step = _step(replace(config, **settings), weights)  # type: ignore[arg-type]
        return _subject(name, what, step, batches)

    return (
        ours(EAGER, "each operation called from Python", mode="eager"),
        _subject(
            GRAPH_DEFAULT,
            "tf.function as it comes: a trace for each batch size",
            tf.function(_step(replace(config, mode="eager"), weights)),
            batches,
        ),
        ours(GRAPH_FIXED, "tf.function with input_signature [None, None, None, 3]"),
        ours(XLA, "the same with jit_compile=True", mode="xla"),
        _fit_subject(config, weights, batches),
        ours(FUSED, "batch norm as one operation", fused_batch_norm=True),
        ours(BF16, "layers compute in bfloat16, weights are float32", precision="bfloat16"),
        ours(
            FUSED_BF16,
            "both: what make train runs where the CPU multiplies bfloat16",
            fused_batch_norm=True,
            precision="bfloat16",
        ),
    )


def data_wait(config: TrainConfig, photos: tuple[Photo, ...]) -> float:
    """Share of an epoch that the fastest step waits for its batches, 0 to 1.

    The epoch before it fills the cache and traces the step.
    """
    config = replace(config, fused_batch_norm=True, precision="bfloat16")
    step = _step(config, trainable_network(config, _CLASSES).get_weights())
    decoded = DecodedPhotos(photos, config.image_size)
    for epoch in range(2):
        speed = Speed()
        for image, label in speed.timed(train_batches(decoded, config, epoch)):
            float(step(image, label))
    return speed.data_wait


def _step(config: TrainConfig, weights: list[object]) -> Callable[..., tf.Tensor]:
    network = trainable_network(config, _CLASSES)
    network.set_weights(weights)
    return make_train_step(network, make_optimizer(config, _STEPS), make_averages(), config)


def _subject(
    name: str, what: str, step: Callable[..., tf.Tensor], batches: Iterable[Batch]
) -> Subject:
    def run() -> int:
        images = 0
        for image, label in batches:
            float(step(image, label))
            images += int(label.shape[0])
        return images

    def new_shape() -> float:
        image, label = next(iter(batches))
        return float(step(image[:-1], label[:-1]))

    return Subject(
        name=name, what=what, run=run, new_shape=new_shape, traces=lambda: trace_count(step)
    )


def _fit_subject(config: TrainConfig, weights: list[object], batches: tf.data.Dataset) -> Subject:
    network = trainable_network(config, _CLASSES)
    network.set_weights(weights)
    model = logits_of(network)
    model.compile(
        make_optimizer(config, _STEPS),
        loss=lambda label, logits: smoothed_losses(
            tf.cast(tf.reshape(label, [-1]), tf.int32), logits, config.label_smoothing
        ),
        metrics=[keras.metrics.SparseCategoricalAccuracy()],
    )
    images = sum(int(label.shape[0]) for _, label in batches)

    def run() -> int:
        model.fit(batches, epochs=1, verbose=0, shuffle=False)
        return images

    return Subject(name=FIT, what="Keras' own loop, its batch norm and its jit_compile", run=run)
