"""A training writes its folder whole; stopped and started again, it ends as if undisturbed."""

import json
import signal
from dataclasses import replace
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf

from training.errors import TrainingError
from training.learner import Learner
from training.loop import train
from training.photo_folder import PhotoFolder, read_photo_folder, split_photos
from training.progress import PlainReporter
from training.run_folder import RunFolder


def trained(config):
    run = RunFolder(config.run_dir)
    run.begin(config)
    return run, train(config, read_photo_folder(Path(config.data)), run)


class StopsAtStep(PlainReporter):
    """A user who presses Ctrl-C while a step runs."""

    def __init__(self, last):
        super().__init__(9)
        self._last = last

    def step(self, done, figures):  # noqa: ARG002
        if done == self._last:
            signal.raise_signal(signal.SIGINT)


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
    lines = (run.path / "photos.jsonl").read_text().splitlines()
    parts = [json.loads(line)["part"] for line in lines]
    assert parts == ["train"] * 18 + ["validation"] * 4
    graph = json.loads((run.path / "graph.json").read_text())
    assert graph["mode"] == "graph"
    assert graph["traces"] == {"train_step": 1, "val_step": 1}
    assert graph["agreement"]["agrees"] is True
    assert 0 <= graph["agreement"]["graph_gradients"] < 1e-3
    assert not list(run.path.rglob(".part-*"))


def test_the_saved_network_has_the_validation_that_is_told(tiny_config, split):
    config = tiny_config(image_size=48)
    run, result = trained(config)
    model = keras.saving.load_model(run.model_path, compile=False)
    assert model.input.shape == (None, 48, 48, 3)
    validation = Learner(config, split).validate_for_serving(model)
    assert validation["validation_loss"] == pytest.approx(result["validation_loss"], rel=1e-5)
    assert validation["validation_accuracy"] == pytest.approx(result["validation_accuracy"])


def test_red_and_blue_are_learned(tiny_config):
    _, result = trained(tiny_config(course=("32x15",), learning_rate=0.02))
    assert result["validation_accuracy"] == 1


def assert_same_networks(ours, theirs):
    networks = [keras.saving.load_model(run.model_path, compile=False) for run in (ours, theirs)]
    for our, their in zip(*(network.get_weights() for network in networks), strict=True):
        np.testing.assert_array_equal(our, their)


FULL = {"optimizer": "sgd", "average_decay": 0.9, "color": 0.2, "early_stopping": 2}


# An epoch has three steps: 2 and 4 are within one, 3 is its last.
@pytest.mark.parametrize(("last", "settings"), [(2, {}), (3, FULL), (4, FULL)])
def test_a_stopped_training_ends_as_an_undisturbed_one(last, settings, tiny_config, split):
    config = tiny_config(course=("32x3",), **settings)
    undisturbed, _ = trained(replace(config, run_dir=config.run_dir / "undisturbed"))
    config = replace(config, run_dir=config.run_dir / "stopped")
    stopped = RunFolder(config.run_dir)
    stopped.begin(config)
    keras.utils.set_random_seed(1)
    with pytest.raises(KeyboardInterrupt):
        Learner(config, split).learn(stopped, StopsAtStep(last))
    assert not stopped.is_finished
    assert (stopped.checkpoints_dir / f"step-{last:06d}.npz").exists()
    trained(config)
    assert_same_networks(stopped, undisturbed)
    for resumed, expected in zip(stopped.read_metrics(3), undisturbed.read_metrics(3), strict=True):
        assert resumed["loss"] == expected["loss"]
        assert resumed["validation_loss"] == expected["validation_loss"]


def test_the_same_seed_gives_the_same_network_bit_for_bit(tiny_config):
    config = tiny_config(**FULL)
    first, _ = trained(replace(config, run_dir=config.run_dir / "first"))
    again, _ = trained(replace(config, run_dir=config.run_dir / "again"))
    assert_same_networks(first, again)


def test_early_stopping_ends_and_saves_the_best_epochs_network(tiny_config, capsys):
    # So fast that it gets worse from some epoch on.
    config = tiny_config(course=("32x40",), early_stopping=3, learning_rate=0.5, seed=3)
    run, _ = trained(config)
    rows = run.read_metrics(40)
    losses = [row["validation_loss"] for row in rows]
    best = losses.index(min(losses)) + 1
    assert len(rows) == best + 3 < 40
    assert f"keeping the network of epoch {best}" in capsys.readouterr().err


def test_tensorboard_gets_scalars_graph_and_profile(tiny_config):
    run, _ = trained(tiny_config(course=("32x8",), profile=True))
    events = [
        event
        for path in sorted(run.board_dir.glob("events*"))
        for event in tf.compat.v1.train.summary_iterator(str(path))
    ]
    steps = {
        event.step
        for event in events
        for value in event.summary.value
        if value.tag == "validation/loss" and value.metadata.plugin_data.plugin_name == "scalars"
    }
    assert steps == set(range(1, 9))
    graphs = [event.graph_def for event in events if event.graph_def]
    nodes = tf.compat.v1.GraphDef.FromString(graphs[0]).node
    assert any(node.op == "Conv2DBackpropFilter" for node in nodes)
    assert list(run.board_dir.rglob("*.xplane.pb"))


@pytest.mark.parametrize("last", [11, 14])
def test_a_profile_ends_with_a_training_that_is_stopped_within_it(last, tiny_config, split):
    config = tiny_config(course=("32x8",), profile=True)
    run = RunFolder(config.run_dir)
    run.begin(config)
    with pytest.raises(KeyboardInterrupt):
        Learner(config, split).learn(run, StopsAtStep(last))
    assert list(run.board_dir.rglob("*.xplane.pb"))
    trained(config)
    assert run.is_finished


def test_a_training_in_bfloat16_saves_a_float32_network(tiny_config):
    run, result = trained(
        tiny_config(course=("32x15",), learning_rate=0.02, precision="bfloat16", average_decay=0.9)
    )
    model = keras.saving.load_model(run.model_path, compile=False)
    assert {layer.compute_dtype for layer in model.layers} == {"float32"}
    assert result["validation_accuracy"] == 1


def test_a_loss_that_is_no_number_stops_with_the_step_and_a_cure(tiny_config, split):
    config = tiny_config()
    learner = Learner(config, split)
    learner.network.get_layer("logits").bias.assign([np.nan, 0])
    run = RunFolder(config.run_dir)
    run.begin(config)
    with pytest.raises(TrainingError, match="nan at step 1: try a --learning_rate"):
        learner.learn(run, PlainReporter(6))
    assert not list(run.checkpoints_dir.glob("*"))
