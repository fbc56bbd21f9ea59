"""The training as a whole: photos, learning, then the network for serving."""

import sys
import time

import keras

from training.atomic_file import replacing
from training.config import TrainConfig
from training.learner import Learner
from training.photo_folder import PhotoFolder
from training.photos import skipped_table, sort_photos
from training.progress import reporter
from training.run_folder import Row, RunFolder


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
        KeyboardInterrupt: Ctrl-C or SIGTERM; what was learned is saved.
    """
    began = time.monotonic()
    keras.utils.set_random_seed(config.seed)
    photos, skipped = sort_photos(found, config, _say)
    run.write_labels(photos.labels)
    run.write_skipped(skipped_table(skipped))
    learner = Learner(config, photos)
    with reporter(learner.steps) as progress:
        learner.learn(run, progress)
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
    return result


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
