import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import tensorflow as tf
from tensorflow_serving.apis import prediction_log_pb2

from export.errors import ExportError
from export.exporting import export_run
from export.progress import Narrator


@pytest.fixture
def again(export_config, tmp_path):
    """The config of the first export with another models folder."""
    return replace(export_config, models_dir=tmp_path / "models")


def test_every_form_that_the_network_has_is_published(first_export, export_config):
    models = export_config.models_dir
    assert first_export.published == [str(models / "small" / "1"), str(models / "small-bf16" / "1")]
    assert list(first_export.refused) == ["small-int8"]
    assert "stands where 8-bit operations have no place" in first_export.refused["small-int8"]


def test_the_record_tells_source_and_gates(version_folder, run_dir):
    record = json.loads((version_folder / "export.json").read_text())
    assert record["source_run"] == str(run_dir)
    assert record["precision"] == "fp32"
    assert len(record["digest"]) == 64
    assert record["tensorflow"] == tf.__version__
    assert all(gate["passed"] for gate in record["gates"])
    figures = {gate["name"]: gate["figure"] for gate in record["gates"]}
    assert figures["agreement"] <= 1e-5


def test_labels_are_an_asset_of_the_model(version_folder):
    assert (version_folder / "assets" / "labels.txt").read_text() == "cat\ndog\nfox\n"


def test_a_warm_up_request_for_each_signature_and_batch_size(version_folder):
    file = version_folder / "assets.extra" / "tf_serving_warmup_requests"
    rows = []
    for record in tf.data.TFRecordDataset(str(file)):
        log = prediction_log_pb2.PredictionLog.FromString(record.numpy())
        if log.HasField("classify_log"):
            request = log.classify_log.request
            count = len(request.input.example_list.examples)
        else:
            request = log.predict_log.request
            (tensor,) = request.inputs.values()
            count = tensor.tensor_shape.dim[0].size
        rows.append((request.model_spec.signature_name, count))
    names = ("serving_default", "uint8", "image_bytes", "classify")
    assert rows == [(name, count) for name in names for count in (1, 2)]
    assert file.stat().st_size < 10_000


def test_python_reloads_what_was_published(version_folder, network, images):
    signature = tf.saved_model.load(str(version_folder)).signatures["serving_default"]
    answer = signature(image=tf.constant(images))["probabilities"]
    np.testing.assert_allclose(answer, network(images, training=False), atol=1e-5)


def test_exporting_again_changes_nothing(first_export, export_config):
    again = export_run(export_config, Narrator())
    assert again.published == []
    assert again.up_to_date == first_export.published


def test_another_run_becomes_the_next_version(version_folder, run_dir, tmp_path, again):
    shutil.copytree(run_dir, tmp_path / "run")
    (tmp_path / "run" / "labels.txt").write_text("one\ntwo\nthree\n")
    shutil.copytree(version_folder.parent, again.models_dir / "small")
    result = export_run(replace(again, run_dir=tmp_path / "run", precision="fp32"), Narrator())
    assert result.published == [str(again.models_dir / "small" / "2")]


def test_a_bf16_form_that_disagrees_is_left_out_and_not_tried_again(again):
    strict = replace(again, bf16_tolerance=1e-9)
    result = export_run(strict, Narrator())
    assert result.published == [str(again.models_dir / "small" / "1")]
    assert "expected at most 1e-09" in result.refused["small-bf16"]
    assert not (again.models_dir / "small-bf16").exists()
    repeated = export_run(strict, Narrator())
    assert repeated.published == []
    assert repeated.refused == result.refused


def test_a_refused_form_says_that_its_older_version_stays(version_folder, again, capsys):
    shutil.copytree(version_folder.parents[1] / "small-bf16", again.models_dir / "small-bf16")
    with pytest.raises(ExportError, match="nothing is published: the gates refuse small-bf16"):
        export_run(replace(again, precision="bf16", bf16_tolerance=1e-9), Narrator())
    assert "small-bf16/1, of an older run, stays the newest" in capsys.readouterr().err


def test_an_fp32_form_that_disagrees_publishes_nothing(again):
    with pytest.raises(ExportError, match="small is not published: gate 'agreement': expected"):
        export_run(replace(again, fp32_tolerance=0.0), Narrator())
    assert [entry.name for entry in again.models_dir.iterdir()] == [".export.lock"]
