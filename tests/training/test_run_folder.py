"""A run folder belongs to one training's settings, and is finished when model.keras is there."""

import json

import pytest

from training.errors import TrainingError
from training.photo_folder import Photo, PhotoFolder
from training.run_folder import RunFolder


@pytest.fixture
def begun(tiny_config):
    run = RunFolder(tiny_config().run_dir)
    run.begin(tiny_config())
    run.checkpoints_dir.mkdir()
    (run.checkpoints_dir / "step-000001.npz").touch()
    return run


def test_all_settings_are_in_config_json(begun, tiny_config):
    written = json.loads((begun.path / "config.json").read_text(encoding="utf-8"))
    assert written == tiny_config().as_json()


def test_the_same_settings_are_welcome(begun, tiny_config):
    begun.refuse_other_settings(tiny_config())


def test_other_settings_are_refused_by_name(begun, tiny_config):
    with pytest.raises(TrainingError, match=r"\(batch_size was 8, is 3, seed was 1, is 7\)"):
        begun.refuse_other_settings(tiny_config(batch_size=3, seed=7))


def test_a_folder_without_an_epoch_takes_other_settings(tiny_config):
    run = RunFolder(tiny_config().run_dir)
    run.begin(tiny_config())
    other = tiny_config(batch_size=9)
    run.refuse_other_settings(other)
    run.begin(other)
    assert json.loads((run.path / "config.json").read_text(encoding="utf-8"))["batch_size"] == 9


def test_a_moved_folder_is_the_same_run(begun, tiny_config, tmp_path):
    moved = begun.path.rename(tmp_path / "moved")
    RunFolder(moved).refuse_other_settings(tiny_config(run_dir=moved))


def test_a_folder_of_other_things_is_refused(tiny_config):
    run = RunFolder(tiny_config().run_dir)
    run.path.mkdir()
    (run.path / "thesis.txt").touch()
    with pytest.raises(TrainingError, match="not empty and not a run folder"):
        run.refuse_other_settings(tiny_config())


def test_an_unreadable_config_is_named(begun, tiny_config):
    (begun.path / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(TrainingError, match=r"config\.json: not readable as JSON; remove"):
        begun.refuse_other_settings(tiny_config())


def test_a_place_that_cannot_be_written_is_named(tiny_config, tmp_path):
    (tmp_path / "file").touch()
    config = tiny_config(run_dir=tmp_path / "file" / "run")
    with pytest.raises(TrainingError, match=r"run: cannot be written: Not a directory"):
        RunFolder(config.run_dir).begin(config)


def test_only_the_network_makes_a_run_finished(begun):
    begun.write_result({"validation_accuracy": 1.0})
    assert not begun.is_finished
    begun.model_path.touch()
    assert begun.is_finished


def test_metrics_are_a_line_an_epoch(begun):
    rows = [{"epoch": 1, "loss": 0.5}, {"epoch": 2, "loss": 0.25}]
    begun.write_metrics(rows)
    assert len((begun.path / "metrics.jsonl").read_text().splitlines()) == 2
    assert begun.read_metrics(1) == rows[:1]


def test_photos_are_listed_by_part_and_class(begun, tmp_path):
    inside, outside = begun.photos_dir / "train" / "a.png", tmp_path / "na\tïve\udcff.jpg"
    begun.write_photos(
        PhotoFolder(labels=("x", "y"), train=(Photo(inside, 1),), validation=(Photo(outside, 0),))
    )
    lines = (begun.path / "photos.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        {"part": "train", "label": 1, "path": "photos/train/a.png"},
        {"part": "validation", "label": 0, "path": str(outside)},
    ]
