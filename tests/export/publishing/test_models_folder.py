import json
from contextlib import suppress

import pytest

from export.config import ExportConfig
from export.errors import ExportError
from export.forms import forms
from export.publishing.models_folder import is_current, publish, remember_refusal, workspace


@pytest.fixture
def form(tmp_path):
    config = ExportConfig(run_dir=tmp_path, models_dir=tmp_path, model_name="m", precision="fp32")
    return forms(config)[0]


def written(folder, digest="abc"):
    folder.mkdir(parents=True)
    (folder / "export.json").write_text(json.dumps({"digest": digest}))
    return folder


def visible(models_dir):
    return sorted(entry.name for entry in models_dir.iterdir() if not entry.name.startswith("."))


def test_nothing_is_visible_before_it_is_published(form, tmp_path):
    with workspace(tmp_path, "m") as folder:
        version = written(folder / "fp32")
        assert visible(tmp_path) == []
        publish(version, form)
        assert visible(tmp_path) == ["m", "models.config"]
    assert visible(tmp_path / "m") == ["1"]


def test_a_failed_export_leaves_nothing(tmp_path):
    with suppress(RuntimeError), workspace(tmp_path, "m") as folder:
        written(folder / "fp32")
        raise RuntimeError
    assert [entry.name for entry in tmp_path.iterdir()] == [".export.lock"]


def test_what_killed_exports_left_is_removed_and_nothing_of_living_ones(tmp_path):
    written(tmp_path / ".m-partial-killed" / "fp32")
    written(tmp_path / ".m-pruned-killed" / "1")
    with workspace(tmp_path, "other") as living:
        with workspace(tmp_path, "m") as ours:
            assert {entry.name for entry in tmp_path.glob(".*-p*-*")} == {living.name, ours.name}
        assert living.is_dir()


def test_a_number_that_was_asked_for_is_the_versions(form, tmp_path):
    assert publish(written(tmp_path / "w"), form, 7) == form.folder / "7"
    assert publish(written(tmp_path / "x"), form) == form.folder / "8"


@pytest.mark.parametrize("number", [7, 3])
def test_a_number_that_is_not_above_the_newest_is_refused(form, tmp_path, number):
    written(form.folder / "007")
    with pytest.raises(ExportError, match=rf"version {number} of m: .*007 is there.*above 7"):
        publish(written(tmp_path / "w"), form, number)
    assert (tmp_path / "w").is_dir()


def test_a_version_is_one_above_the_highest(form, tmp_path):
    for name in ("2", "10", "notes"):
        written(form.folder / name)
    assert publish(written(tmp_path / "w"), form) == form.folder / "11"


def test_a_models_dir_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportError, match="cannot be written"), workspace(tmp_path / "file", "m"):
        pass


def test_a_model_folder_that_is_a_file_is_refused(form, tmp_path):
    form.folder.write_text("")
    with pytest.raises(ExportError, match="m/1 cannot be written"):
        publish(written(tmp_path / "w"), form)


def test_only_the_newest_version_counts_as_current(form):
    written(form.folder / "1", "old")
    written(form.folder / "2", "new")
    assert is_current(form, "new")
    assert not is_current(form, "old")


def test_a_version_without_a_readable_record_is_not_current(form):
    written(form.folder / "1")
    (form.folder / "1" / "export.json").write_text("{")
    assert not is_current(form, "abc")


def test_a_refusal_holds_until_something_is_published(form, tmp_path):
    remember_refusal(form, "abc", "disagrees")
    assert is_current(form, "abc")
    publish(written(tmp_path / "w", "def"), form)
    assert not is_current(form, "abc")
