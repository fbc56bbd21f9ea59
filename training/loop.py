"""The training as a whole: photos, learning, then the network for serving."""

import hashlib
import json
import sys
import time

import keras
import tensorflow as tf

from training.atomic_file import replacing
from training.checkpoint import newest_step
from training.config import TrainConfig
from training.errors import TrainingError
from training.learner import Learner
from training.photo_folder import Photo, PhotoFolder
from training.photos import skipped_table, sort_photos
from training.place import Place
from training.progress import SilentReporter, reporter
from training.run_folder import Row, RunFolder
from training.workers import Workers

_OWN_PATHS = {"run_dir": "", "data": "", "init_weights": ""}
"""Settings that may differ from machine to machine."""

_OWN_FAULTS = (tf.errors.ResourceExhaustedError, tf.errors.InvalidArgumentError)
"""What is not another worker's end."""


def train(
    config: TrainConfig, found: PhotoFolder, run: RunFolder, place: Place | None = None
) -> Row:
    """Train until the run folder is finished, going on where an earlier call stopped.

    Args:
        config: the settings.
        found: the photos of the data.
        run: the folder, begun with these settings.
        place: this process among the workers; alone, if not given.

    Returns:
        The final validation, as in result.json; of a worker that is not the chief, its number.

    Raises:
        TrainingError: the photos, the folder or the settings must be mended.
        KeyboardInterrupt: Ctrl-C or SIGTERM; what was learned is saved.
    """
    place = place or Place()
    try:
        return _train(config, found, run, Workers(config.strategy, place))
    except tf.errors.OpError as error:
        if place.count == 1 or isinstance(error, _OWN_FAULTS):
            raise
        raise TrainingError(
            f"worker {place.index} lost the others ({type(error).__name__}): start all workers "
            f"again with the same commands; {_where(config, place)}"
        ) from error


def _train(config: TrainConfig, found: PhotoFolder, run: RunFolder, workers: Workers) -> Row:
    began = time.monotonic()
    keras.utils.set_random_seed(config.seed)
    photos, skipped = sort_photos(found, config, _say)
    run.write_labels(photos.labels)
    run.write_photos(photos)
    run.write_skipped(skipped_table(skipped))
    workers.require_same("settings", _digest(config.as_json() | _OWN_PATHS))
    workers.require_same("photos", _digest([_fingerprint(photo) for photo in photos.train]))
    learner = Learner(config, photos, workers)
    is_chief = workers.place.is_chief
    with reporter(learner.steps) if is_chief else SilentReporter() as progress:
        learner.learn(run, progress)
        if not is_chief:
            workers.wait()
            return {"worker": workers.place.index}
        progress.say(f"settling batch norm, then validating, at {config.image_size} pixels")
        network = learner.network_for_serving()
        result = learner.validate_for_serving(network) | {
            "train_photos": len(photos.train),
            "validation_photos": len(photos.validation),
            "skipped_photos": len(skipped),
            "seconds": round(time.monotonic() - began, 1),
        }
    run.write_graph(learner.graph_facts())
    run.write_result(result)
    with replacing(run.model_path) as beside:
        network.save(beside)
    workers.wait()
    return result


def _fingerprint(photo: Photo) -> tuple[str, int, int]:
    """What tells a photo from another without reading it."""
    return photo.path.name, photo.path.stat().st_size, photo.label


def _digest(facts: object) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _where(config: TrainConfig, place: Place) -> str:
    if not place.is_chief:
        return "worker 0 knows from which step"
    step = newest_step(RunFolder(config.run_dir).checkpoints_dir)
    return f"{config.run_dir} goes on after step {step}"


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
