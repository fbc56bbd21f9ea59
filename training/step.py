"""The steps of training, validation and settling, each a graph traced once.

    image, label --train_step--> forward, loss, gradients, optimizer  -> loss
                 --val_step----> forward, averages of loss, accuracy
                 --settle_step-> forward, batch norm's running statistics

The steps close over network, optimizer and averages: what varies from call to call is the batch
alone, so one `input_signature` fits every batch and image size.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import keras
import tensorflow as tf

from training.averaged import AveragedNetwork
from training.config import TrainConfig
from training.network import logits_of
from training.place import Place
from training.workers import Workers

BATCH_SIGNATURE = (
    tf.TensorSpec([None, None, None, 3], tf.float32, name="image"),
    tf.TensorSpec([None], tf.int32, name="label"),
)
"""Images in 0..1 and class numbers."""

Step = Callable[[tf.Tensor, tf.Tensor], tf.Tensor]
S = TypeVar("S", bound=Callable[..., Any])


@dataclass(frozen=True)
class Averages:
    """Loss and accuracy over the batches since the last reset."""

    loss: Any
    accuracy: Any

    @property
    def variables(self) -> list[keras.Variable]:
        """What a checkpoint within an epoch must hold."""
        return [*self.loss.variables, *self.accuracy.variables]

    def add(self, loss: tf.Tensor, right: tf.Tensor, rows: tf.Tensor) -> None:
        """Take in a batch: its mean loss, how many rows are right, how many there are."""
        self.loss.update_state(loss, rows)
        self.accuracy.update_state(right / rows, rows)

    def take(self) -> dict[str, float]:
        """Give the averages and start anew."""
        averages = {"loss": float(self.loss.result()), "accuracy": float(self.accuracy.result())}
        self.loss.reset_state()
        self.accuracy.reset_state()
        return averages


def make_averages() -> Averages:
    """Averages of no batch yet."""
    # Named, because a checkpoint finds their variables by paths that begin with the names.
    return Averages(keras.metrics.Mean("loss"), keras.metrics.Mean("accuracy"))


def make_train_step(
    model: keras.Model,
    optimizer: keras.Optimizer,
    averages: Averages,
    config: TrainConfig,
    averaged: AveragedNetwork | None = None,
    workers: Workers | None = None,
) -> Step:
    """Give the step that trains `model`, whose variables and the optimizer's it changes.

    `averaged`, where there is one, takes in the variables after each step. With `workers`, model
    and optimizer are made in their scope; each replica learns from its rows of a batch.
    """
    workers = workers or Workers("single", Place())
    logits_model = logits_of(model)
    variables = logits_model.trainable_variables
    # Slots made within the first call would need a second trace.
    optimizer.build(variables)

    def learn(image: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        rows = workers.total(tf.cast(tf.shape(label)[0], tf.float32))
        with tf.GradientTape() as tape:
            logits = _float32(logits_model(image, training=True))
            losses = smoothed_losses(label, logits, config.label_smoothing)
            loss = tf.reduce_sum(losses) / rows
        optimizer.apply(tape.gradient(loss, variables), variables)
        return workers.total(loss), workers.total(_right(label, logits)), rows

    def train_step(image: tf.Tensor, label: tf.Tensor) -> tf.Tensor:
        """Train on one batch; gives its mean loss, float32 scalar.

        `input_signature`: BATCH_SIGNATURE. One trace for any batch and image size (XLA compiles
        anew for each shape, without tracing again).
        """
        loss, right, rows = workers.each(learn, image, label)
        if averaged is not None:
            averaged.follow()
        averages.add(loss, right, rows)
        return loss

    return _in_mode(train_step, config.mode)


def make_val_step(model: keras.Model, averages: Averages, mode: str) -> Step:
    """Give the step that takes a batch's loss and accuracy into `averages`."""
    logits_model = logits_of(model)

    def val_step(image: tf.Tensor, label: tf.Tensor) -> tf.Tensor:
        """Validate one batch; gives its mean cross-entropy, float32 scalar.

        `input_signature`: BATCH_SIGNATURE. One trace for any batch and image size.
        """
        logits = _float32(logits_model(image, training=False))
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(label, logits))
        averages.add(loss, _right(label, logits), tf.cast(tf.shape(label)[0], tf.float32))
        return loss

    return _in_mode(val_step, mode)


def make_settle_step(model: keras.Model, mode: str) -> Callable[[tf.Tensor, tf.Tensor], None]:
    """Give the step that moves batch norm's running statistics to what it sees, and no weight."""

    def settle_step(image: tf.Tensor, label: tf.Tensor) -> None:
        """Take one batch into the running means and variances.

        `input_signature`: BATCH_SIGNATURE. One trace for any batch and image size.
        """
        del label
        model(image, training=True)

    return _in_mode(settle_step, mode)


def trace_count(step: Callable[..., Any]) -> int:
    """How often TensorFlow has traced a step; 0 in eager mode."""
    count = getattr(step, "experimental_get_tracing_count", None)
    return count() if count else 0


def _float32(logits: tf.Tensor) -> tf.Tensor:
    """Logits computed in bfloat16 are too coarse for a loss."""
    return tf.cast(logits, tf.float32)


def _right(label: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
    """How many rows have their largest logit at their label: float32 scalar."""
    is_right = tf.argmax(logits, axis=-1, output_type=label.dtype) == label
    return tf.reduce_sum(tf.cast(is_right, tf.float32))


def smoothed_losses(label: tf.Tensor, logits: tf.Tensor, smoothing: float) -> tf.Tensor:
    """Cross-entropy [B] with a little of the label given to every class (arXiv:1512.00567)."""
    classes = logits.shape[-1]
    target = tf.one_hot(label, classes) * (1 - smoothing) + smoothing / classes
    return tf.nn.softmax_cross_entropy_with_logits(target, logits)


def _in_mode(step: S, mode: str) -> S:
    if mode == "eager":
        return step
    return tf.function(step, input_signature=BATCH_SIGNATURE, jit_compile=mode == "xla" or None)
