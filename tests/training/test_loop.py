"""A training writes its folder whole; stopped and started again, it ends as if undisturbed."""

import json

import keras
import numpy as np
import pytest

from training.errors import TrainingError
from training.loop import Learner, train
from training.photo_folder import PhotoFolder, read_photo_folder, split_photos
from training.progress import PlainReporter
from training.run_folder import RunFolder


def trained(config):
    run = RunFolder(config.run_dir)
    run.begin(config)
    return run, train(config, read_photo_folder(config.data), run)


class StopsAfterAnEpoch(PlainReporter):
    """A user who presses Ctrl-C as soon as the first epoch is told."""

    def say(self, sentence):
        if sentence.startswith("epoch 1"):
            raise KeyboardInterrupt


@pytest.fixture
def split(photos_dir):
    found = read_photo_folder(photos_dir)
    train_photos, validation = split_photos(found.train, 0.2, seed=1)
    return PhotoFolder(labels=found.labels, train=train_photos, validation=validation)


def test_a_training_writes_its_folder(tiny_config):
    run, result = trained(tiny_config())
    assert run.is_finished
    assert run.labels_path.read_text() == "blue\nred\n"
    assert [row["epoch"] for row in run.read_metrics(9)] == [1, 2]
    assert run.read_result() == result
    assert (result["train_photos"], result["validation_photos"]) == (18, 4)
    graph = json.loads((run.path / "graph.json").read_text())
    assert graph["mode"] == "graph"
    assert graph["traces"] == {"train_step": 1, "val_step": 1, "settle_step": 1}
    assert not list(run.path.rglob(".part-*"))


def test_the_saved_network_has_the_validation_that_is_told(tiny_config, split):
    config = tiny_config(image_size=48)
    run, result = trained(config)
    model = keras.saving.load_model(run.model_path, compile=False)
    assert model.input.shape == (None, 48, 48, 3)
    learner = Learner(config, split)
    learner.network.set_weights(model.get_weights())
    validation = learner.validate(48)
    assert validation["loss"] == pytest.approx(result["validation_loss"], rel=1e-5)
    assert validation["accuracy"] == pytest.approx(result["validation_accuracy"])


def test_red_and_blue_are_learned(tiny_config):
    _, result = trained(tiny_config(epochs=15, learning_rate=0.02))
    assert result["validation_accuracy"] == 1


def test_a_stopped_training_ends_as_an_undisturbed_one(tiny_config, split, tmp_path):
    def config_in(name):
        return tiny_config(run_dir=tmp_path / name, epochs=3)

    undisturbed, _ = trained(config_in("undisturbed"))
    stopped = RunFolder(config_in("stopped").run_dir)
    stopped.begin(config_in("stopped"))
    keras.utils.set_random_seed(1)
    with pytest.raises(KeyboardInterrupt):
        Learner(config_in("stopped"), split).learn(stopped, StopsAfterAnEpoch(9))
    assert not stopped.is_finished
    trained(config_in("stopped"))
    ours, theirs = (
        keras.saving.load_model(run.model_path, compile=False) for run in (stopped, undisturbed)
    )
    for resumed, expected in zip(ours.get_weights(), theirs.get_weights(), strict=True):
        np.testing.assert_array_equal(resumed, expected)
    for resumed, expected in zip(stopped.read_metrics(3), undisturbed.read_metrics(3), strict=True):
        assert resumed["loss"] == expected["loss"]


def test_a_loss_that_is_no_number_stops_with_the_step_and_a_cure(tiny_config, split):
    config = tiny_config()
    learner = Learner(config, split)
    learner.network.get_layer("logits").bias.assign([np.nan, 0])
    run = RunFolder(config.run_dir)
    run.begin(config)
    with pytest.raises(TrainingError, match="nan at step 1: try a --learning_rate"):
        learner.learn(run, PlainReporter(6))
    assert not list(run.checkpoints_dir.glob("*"))
