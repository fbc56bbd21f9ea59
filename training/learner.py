"""A network being trained: its steps, averages and batches. It alone changes the network.

    photos -> [ train_step ... -> validation -> checkpoint ] x epochs

Everything that a step depends on is in the checkpoint, and batches follow from seed and epoch, so
a training that was ended at any moment goes on as if it had not been.
"""

import math
import time
from contextlib import nullcontext
from dataclasses import dataclass

import keras
import tensorflow as tf

from graphmode.agreement import agreement_facts
from training.averaged import AveragedNetwork
from training.board import Board
from training.checkpoint import restore_best, restore_checkpoint, save_best, save_checkpoint
from training.config import TrainConfig
from training.dataset import (
    DecodedPhotos,
    settling_batches,
    train_batches,
    validation_batches,
)
from training.errors import TrainingError
from training.init_weights import load_init_weights
from training.interruption import Interruption
from training.network import NETWORKS, logits_of
from training.optimizer import make_optimizer
from training.photo_folder import PhotoFolder
from training.place import Place
from training.progress import Reporter
from training.run_folder import Row, RunFolder
from training.speed import Speed
from training.step import (
    Step,
    make_averages,
    make_settle_step,
    make_train_step,
    make_val_step,
    smoothed_losses,
    trace_count,
)
from training.trainable import trainable_network
from training.workers import Workers

_COMPARED_ROWS = 4
"""So few that comparing takes seconds."""

_SAVE_EVERY_S = 300.0
"""An epoch may take hours: no more than this is lost to a power cut."""


class Learner:
    """The networks, the optimizer and the steps of one training."""

    def __init__(
        self, config: TrainConfig, photos: PhotoFolder, workers: Workers | None = None
    ) -> None:
        self._config = config
        self._workers = workers or Workers("single", Place())
        self._classes = len(photos.labels)
        self._train_photos = DecodedPhotos(photos.train, config.image_size)
        self._validation_photos = DecodedPhotos(photos.validation, config.image_size)
        self._epoch_steps = _epoch_steps(
            len(photos.train), config.batch_size, self._workers.replicas
        )
        self.steps = self._epoch_steps * config.epochs
        self._start = "starting from random weights"
        self._averaged = None
        self._averages = make_averages()
        with self._workers.scope():
            self.network = trainable_network(config, self._classes)
            if config.init_weights is not None:
                self._start = load_init_weights(config.init_weights, self.network)
            if config.average_decay:
                averaged = trainable_network(config, self._classes)
                self._averaged = AveragedNetwork(averaged, self.network, config.average_decay)
            self._optimizer = make_optimizer(config, self.steps)
            self._train_step = make_train_step(
                self.network,
                self._optimizer,
                self._averages,
                config,
                self._averaged,
                self._workers,
            )
        self._val_step = make_val_step(self._validated, self._averages, config.mode)

    def learn(self, run: RunFolder, progress: Reporter) -> None:
        """Train the steps that the run folder's checkpoints do not have yet.

        Raises:
            TrainingError: a checkpoint is damaged, or the loss is no number any more.
            KeyboardInterrupt: Ctrl-C or SIGTERM; the step that was going on is done and saved.
        """
        config, workers = self._config, self._workers
        step = workers.chiefs_word(restore_checkpoint(run.checkpoints_dir, self._groups))
        for variables in self._groups.values():
            workers.take_chiefs_variables(variables)
        done = step // self._epoch_steps
        rows = run.read_metrics(done) if workers.place.is_chief else []
        progress.say(f"going on after step {step} of {self.steps}" if step else self._start)
        with Board(run.board_dir) as board, Interruption() as interruption:
            board.graph(self._train_step)
            session = _Session(run, board, progress, interruption)
            for epoch in range(done, config.epochs):
                if workers.chiefs_word(self._has_stopped_improving(rows)):
                    progress.say(f"stopped early, after epoch {epoch} of {config.epochs}")
                    break
                row = self._learn_epoch(epoch, step, session)
                step = (epoch + 1) * self._epoch_steps
                rows.append(row)
                if config.early_stopping and _best_epoch(rows) == epoch + 1:
                    save_best(run.checkpoints_dir, {"network": self._validated.variables})
                run.write_metrics(rows)
                board.scalars(epoch + 1, row)
                save_checkpoint(run.checkpoints_dir, step, self._groups)
                progress.say(_sentence(row, config.epochs))
                interruption.obey()
        if config.early_stopping and workers.place.is_chief:
            restore_best(run.checkpoints_dir, {"network": self._validated.variables})
            progress.say(f"keeping the network of epoch {_best_epoch(rows)}")

    def network_for_serving(self) -> keras.Model:
        """Give the trained network in float32, its input fixed to image_size, and settled."""
        config = self._config
        network = NETWORKS[config.network](self._classes, image_size=config.image_size)
        network.set_weights(self._validated.get_weights())
        self._settle(network)
        return network

    def validate_for_serving(self, network: keras.Model) -> Row:
        """Give the validation of the network that is saved, at the size it is saved for."""
        averages = self._validate(
            make_val_step(network, self._averages, self._config.mode), self._config.image_size
        )
        return {f"validation_{name}": value for name, value in averages.items()}

    def graph_facts(self) -> Row:
        """Give what graph.json holds: trace counts, and how far graph and eager are apart."""
        return {
            "mode": self._config.mode,
            "tensorflow": tf.__version__,
            "traces": {
                "train_step": trace_count(self._train_step),
                "val_step": trace_count(self._val_step),
            },
            "agreement": self._agreement(),
        }

    def _agreement(self) -> Row:
        """Compare the learned network's logits, loss and gradients on a few crops, in float32."""
        network = NETWORKS[self._config.network](self._classes, image_size=None)
        network.set_weights(self._validated.get_weights())
        image, label = next(iter(train_batches(self._train_photos, self._config, epoch=0)))
        some = slice(_COMPARED_ROWS)

        def loss(logits: tf.Tensor) -> tf.Tensor:
            losses = smoothed_losses(label[some], logits, self._config.label_smoothing)
            return tf.reduce_mean(losses)

        return agreement_facts(logits_of(network), [image[some]], loss)

    @property
    def _validated(self) -> keras.Model:
        return self.network if self._averaged is None else self._averaged.network

    @property
    def _groups(self) -> dict[str, list[keras.Variable]]:
        return {
            "network": self.network.variables,
            "optimizer": self._optimizer.variables,
            "averages": self._averages.variables,
            "averaged": [] if self._averaged is None else self._averaged.variables,
        }

    def _learn_epoch(self, epoch: int, step: int, session: "_Session") -> Row:
        """Learn what is left of an epoch after `step` steps of the whole training."""
        began = saved = time.monotonic()
        learned = step - epoch * self._epoch_steps
        batches = train_batches(self._train_photos, self._config, epoch).skip(learned)
        speed = Speed()
        for image, label in speed.timed(batches):
            step += 1
            with session.board.profiled(step) if self._config.profile else nullcontext():
                loss = float(self._train_step(image, label))
            self._require_finite(loss, step)
            session.progress.step(step, f"loss {loss:.3f}, {speed.images_per_second:.0f} images/s")
            if step == (epoch + 1) * self._epoch_steps:
                break
            if session.interruption.is_asked_for or time.monotonic() - saved > _SAVE_EVERY_S:
                save_checkpoint(session.run.checkpoints_dir, step, self._groups)
                saved = time.monotonic()
            session.interruption.obey()
        averages = self._averages.take()
        validation = self._validate(self._val_step, self._config.crop_size(epoch))
        return {
            "epoch": epoch + 1,
            "crop_size": self._config.crop_size(epoch),
            **averages,
            **{f"validation_{name}": value for name, value in validation.items()},
            "learning_rate": float(self._optimizer.learning_rate),
            "images_per_second": round(speed.images_per_second, 1),
            "data_wait": round(speed.data_wait, 4),
            "traces": trace_count(self._train_step),
            "seconds": round(time.monotonic() - began, 1),
        }

    def _require_finite(self, loss: float, step: int) -> None:
        if not math.isfinite(loss):
            raise TrainingError(
                f"the loss became {loss} at step {step}: try a --learning_rate below "
                f"{self._config.learning_rate}, a longer --warm_up, or --precision float32; "
                "the checkpoints before it are kept"
            )

    def _has_stopped_improving(self, rows: list[Row]) -> bool:
        patience = self._config.early_stopping
        return bool(patience and rows) and len(rows) - _best_epoch(rows) >= patience

    def _validate(self, val_step: Step, size: int) -> Row:
        for image, label in validation_batches(self._validation_photos, self._config, size):
            val_step(image, label)
        return self._averages.take()

    def _settle(self, network: keras.Model) -> None:
        """Move batch norm's running statistics to the image size that is served.

        Larger images have other statistics than the crops trained on (Touvron et al. 2019,
        arXiv:1906.06423): 2,000 photos at 96, served at 224, gain 7 points of accuracy.
        """
        settle_step = make_settle_step(network, self._config.mode)
        for image, label in settling_batches(self._train_photos, self._config):
            settle_step(image, label)


@dataclass(frozen=True)
class _Session:
    """What a learner tells of its steps, and who may end them."""

    run: RunFolder
    board: Board
    progress: Reporter
    interruption: Interruption


def _epoch_steps(photos: int, batch_size: int, replicas: int) -> int:
    """The batches of an epoch; a last one too small for all replicas is left out."""
    if batch_size < replicas:
        raise TrainingError(f"batch_size must be at least {replicas}, the replicas' number")
    whole, left = divmod(photos, batch_size)
    return whole + (left >= replicas)


def _best_epoch(rows: list[Row]) -> int:
    """The epoch of the least validation loss, counted from 1."""
    return min(rows, key=lambda row: row["validation_loss"])["epoch"]


def _sentence(row: Row, epochs: int) -> str:
    return (
        f"epoch {row['epoch']} of {epochs}: {row['crop_size']} px, loss {row['loss']:.3f}, "
        f"accuracy {row['accuracy']:.3f}, validation loss {row['validation_loss']:.3f}, "
        f"accuracy {row['validation_accuracy']:.3f}, {row['images_per_second']:.0f} images/s"
    )
