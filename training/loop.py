"""The training itself: epoch by epoch, each one saved, then the network for serving.

photos -> [ train_step over the epoch -> val_step -> checkpoint ] x epochs
       -> statistics at the serving size -> final validation -> model.keras
"""

import math
import sys
import time

import keras
import tensorflow as tf

from training.atomic_file import replacing
from training.checkpoint import restore_checkpoint, save_checkpoint
from training.config import TrainConfig
from training.dataset import (
    DecodedPhotos,
    settling_batches,
    train_batches,
    validation_batches,
)
from training.errors import TrainingError
from training.network import NETWORKS
from training.optimizer import make_optimizer
from training.photo_folder import PhotoFolder
from training.photos import usable_photos
from training.progress import Reporter, reporter
from training.run_folder import Row, RunFolder
from training.step import (
    make_averages,
    make_settle_step,
    make_train_step,
    make_val_step,
    trace_count,
)


def train(config: TrainConfig, found: PhotoFolder, run: RunFolder) -> Row:
    """Train until the run folder is finished, going on where an earlier call stopped.

    Args:
        config: the settings.
        found: the photos of the data.
        run: the folder, begun with these settings.

    Returns:
        The final validation, as in result.json.

    Raises:
        TrainingError: the photos, the folder or the settings must be mended.
    """
    began = time.monotonic()
    keras.utils.set_random_seed(config.seed)
    photos, skipped = usable_photos(found, config, _say)
    run.write_labels(photos.labels)
    learner = Learner(config, photos)
    with reporter(learner.steps) as progress:
        learner.learn(run, progress)
        progress.say(f"settling batch norm, then validating, at {config.image_size} pixels")
        learner.settle()
        result = learner.validate_for_serving() | {
            "train_photos": len(photos.train),
            "validation_photos": len(photos.validation),
            "skipped_photos": skipped,
            "seconds": round(time.monotonic() - began, 1),
        }
    run.write_graph(learner.graph_facts())
    run.write_result(result)
    with replacing(run.model_path) as beside:
        learner.network_for_serving().save(beside)
    return result


class Learner:
    """A network being trained: its steps, averages and batches. It alone changes the network."""

    def __init__(self, config: TrainConfig, photos: PhotoFolder) -> None:
        self._config = config
        self._classes = len(photos.labels)
        self._train_photos = DecodedPhotos(photos.train, config.image_size)
        self._validation_photos = DecodedPhotos(photos.validation, config.image_size)
        self._epoch_steps = math.ceil(len(photos.train) / config.batch_size)
        self.steps = self._epoch_steps * config.epochs
        self.network = NETWORKS[config.network](self._classes, image_size=None)
        self._optimizer = make_optimizer(config.learning_rate, self.steps)
        self._averages = make_averages()
        self._train_step = make_train_step(
            self.network, self._optimizer, self._averages, config.mode
        )
        self._val_step = make_val_step(self.network, self._averages, config.mode)
        self._settle_step = make_settle_step(self.network, config.mode)

    def learn(self, run: RunFolder, progress: Reporter) -> None:
        """Train the epochs that the run folder's checkpoints do not have yet, saving each."""
        variables = [*self.network.variables, *self._optimizer.variables]
        done = restore_checkpoint(run.checkpoints_dir, variables)
        rows = run.read_metrics(done)
        if done:
            progress.say(f"going on after epoch {done} of {self._config.epochs}")
        for epoch in range(done, self._config.epochs):
            row = self._learn_epoch(epoch, progress)
            rows.append(row)
            run.write_metrics(rows)
            save_checkpoint(run.checkpoints_dir, epoch + 1, variables)
            progress.say(
                f"epoch {row['epoch']} of {self._config.epochs}: loss {row['loss']:.3f}, "
                f"accuracy {row['accuracy']:.3f}, validation loss {row['validation_loss']:.3f}, "
                f"accuracy {row['validation_accuracy']:.3f}, "
                f"{row['images_per_second']:.0f} images/s"
            )

    def validate(self, size: int) -> Row:
        """Give `loss` and `accuracy` on the validation photos at an image size."""
        for image, label in validation_batches(self._validation_photos, self._config, size):
            self._val_step(image, label)
        return self._averages.take()

    def settle(self) -> None:
        """Move batch norm's running statistics to the image size that is served.

        Larger images have other statistics than the crops trained on (Touvron et al. 2019,
        arXiv:1906.06423): 2,000 photos at 96, served at 224, gain 7 points of accuracy.
        """
        for image, label in settling_batches(self._train_photos, self._config):
            self._settle_step(image, label)

    def validate_for_serving(self) -> Row:
        """Give the validation at the size that the network is saved for."""
        averages = self.validate(self._config.image_size)
        return {f"validation_{name}": value for name, value in averages.items()}

    def network_for_serving(self) -> keras.Model:
        """Give the trained network with its input fixed to image_size."""
        config = self._config
        network = NETWORKS[config.network](self._classes, image_size=config.image_size)
        network.set_weights(self.network.get_weights())
        return network

    def graph_facts(self) -> Row:
        """Give what graph.json holds."""
        return {
            "mode": self._config.mode,
            "tensorflow": tf.__version__,
            "traces": {
                "train_step": trace_count(self._train_step),
                "val_step": trace_count(self._val_step),
                "settle_step": trace_count(self._settle_step),
            },
        }

    def _learn_epoch(self, epoch: int, progress: Reporter) -> Row:
        began = time.monotonic()
        images = 0
        batches = train_batches(self._train_photos, self._config, epoch)
        for step, (image, label) in enumerate(batches, epoch * self._epoch_steps + 1):
            loss = float(self._train_step(image, label))
            if not math.isfinite(loss):
                raise TrainingError(
                    f"the loss became {loss} at step {step}: try a --learning_rate below "
                    f"{self._config.learning_rate}"
                )
            images += int(label.shape[0])
            progress.step(
                step, f"loss {loss:.3f}, {images / (time.monotonic() - began):.0f} images/s"
            )
        seconds = time.monotonic() - began
        averages = self._averages.take()
        validation = self.validate(self._config.crop_size(epoch))
        return {
            "epoch": epoch + 1,
            **averages,
            **{f"validation_{name}": value for name, value in validation.items()},
            "images_per_second": round(images / seconds, 1),
            "seconds": round(time.monotonic() - began, 1),
        }


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
