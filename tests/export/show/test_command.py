import shutil
import subprocess
import sys

import pytest
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2


@pytest.fixture
def copied(model, tmp_path):
    """The version's folder, to be damaged."""
    return shutil.copytree(model / "10", tmp_path / "10")


def test_a_models_folder_shows_its_newest_version(model, show):
    status, report, _ = show(model, "--json")
    assert status == 0
    assert report["folder"] == str(model / "10")


def test_signatures_are_told_in_saved_model_clis_words(model, show):
    cli = [sys.executable, "-m", "tensorflow.python.tools.saved_model_cli", "show", "--all"]
    told = subprocess.run(
        [*cli, "--dir", str(model / "10")], capture_output=True, text=True, check=True
    ).stdout
    expected = {line.strip() for line in told.partition("Concrete Functions")[0].splitlines()}
    _, report, _ = show(model, "--json")
    names = [signature["name"] for signature in report["signatures"]]
    assert names == ["__saved_model_init_op", "number", "serving_default"]
    for signature in report["signatures"]:
        assert f"signature_def['{signature['name']}']:" in expected
        assert f"Method name is: {signature['method']}".strip() in expected
        for side in ("inputs", "outputs"):
            for tensor in signature[side]:
                assert f"{side}['{tensor['alias']}'] tensor_info:" in expected
                assert f"dtype: {tensor['dtype']}" in expected
                assert f"shape: {tensor['shape']}" in expected
                assert f"name: {tensor['tensor']}" in expected


def test_sizes_add_up_to_what_is_on_disk(model, show):
    _, report, _ = show(model, "--json")
    sizes = {file: file.stat().st_size for file in (model / "10").rglob("*") if file.is_file()}
    assert sum(report["sizes"].values()) == sum(sizes.values())
    extra = model / "10" / "assets.extra"
    assert report["sizes"]["graph"] == sizes[model / "10" / "saved_model.pb"]
    assert report["sizes"]["warm-up"] == sizes[extra / "tf_serving_warmup_requests"]
    assert report["sizes"]["variables"] > 4 * 3 * 3 * 3 * 4


def test_weights_are_counted_by_dtype(model, show):
    _, report, _ = show(model, "--json")
    assert report["variables"] == {
        "bfloat16": {"count": 1, "bytes": 8},
        "float32": {"count": 1, "bytes": 432},
    }


def test_ops_of_functions_are_counted(model, show):
    _, report, _ = show(model, "--json")
    assert report["ops"]["of"] == "serving_default"
    assert report["ops"]["ops"]["Conv2D"] == 1
    assert report["ops"]["ops"]["ReadVariableOp"] == 2
    assert "StringToNumber" not in report["ops"]["ops"]


def test_fused_ops_are_those_that_ran(model, show):
    _, report, _ = show(model, "--json")
    (fused,) = report["ops"]["fused"]
    assert fused["fused_ops"] == ["BiasAdd", "Relu"]
    assert (fused["dtype"], fused["count"]) == ("float32", 1)
    assert "Conv2D" not in report["ops"]["optimised_ops"]


def test_a_signature_that_refuses_the_sample_shows_all_but_fusion(model, show):
    status, text, _ = show(model, "--signature", "number")
    assert status == 0
    assert "not run, so what is fused is not known" in text
    assert "--input NAME=FILE" in text
    assert "signature_def['number'], method name: tensorflow/serving/predict" in text


def test_an_input_can_be_read_from_a_file(model, show, tmp_path):
    (tmp_path / "text").write_bytes(b"17")
    flags = ["--signature", "number", "--input", f"text={tmp_path / 'text'}", "--json"]
    _, report, _ = show(model, *flags)
    assert report["ops"]["why_not_run"] == ""
    assert report["ops"]["optimised_ops"]["StringToNumber"] == 1


def test_what_goes_with_the_model_is_shown(model, show):
    _, report, _ = show(model, "--json")
    assert report["labels"] == ["cat", "dog"]
    assert report["warmup"] == [
        {"signature": "serving_default", "kind": "predict", "rows": 1, "count": 1},
        {"signature": "serving_default", "kind": "predict", "rows": 8, "count": 2},
        {"signature": "classify", "kind": "classify", "rows": 3, "count": 1},
    ]
    assert report["record"]["precision"] == "fp32"


def test_the_text_is_plain_and_whole_in_a_pipe(model, show):
    _, text, _ = show(model)
    assert "\x1b" not in text
    for line in (
        "inputs['image']    DT_FLOAT  (-1, 8, 8, 3)  serving_default_image:0",
        "float32 variables           1  432 bytes",
        "serving_default  predict      8      2",
        "passed  agreement  got 1e-07",
        "2 labels: cat, dog",
    ):
        assert line in text


def test_a_frozen_graphs_weights_are_constants(show, tmp_path):
    module = tf.Module()
    module.f = tf.function(
        lambda x: {"y": x @ tf.constant([[0.5] * 16] * 16)},
        input_signature=[tf.TensorSpec([None, 16], tf.float32, name="x")],
    )
    tf.saved_model.save(module, str(tmp_path / "1"), signatures=module.f)
    _, report, _ = show(tmp_path, "--json")
    assert report["variables"] == {}
    assert 16 * 16 * 4 <= report["constants"]["bytes"] < 2 * 16 * 16 * 4
    assert report["record"] is None


def test_a_model_without_signatures_says_so(copied, show):
    saved = saved_model_pb2.SavedModel.FromString((copied / "saved_model.pb").read_bytes())
    saved.meta_graphs[0].signature_def.clear()
    (copied / "saved_model.pb").write_bytes(saved.SerializeToString())
    status, text, _ = show(copied)
    assert status == 0
    assert "no signatures: no server can answer a request with it" in text
    assert "ops of the whole graph" in text


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--signature", "none"], "has no signature 'none': it has number, serving_default"),
        (["--input", "image"], "--input 'image': expected NAME=FILE"),
    ],
)
def test_a_wrong_flag_is_refused(model, show, flags, message):
    status, out, err = show(model, *flags)
    assert (status, out) == (2, "")
    assert message in err.splitlines()[-1]


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("saved_model.pb", "is cut or damaged: it is no SavedModel"),
        ("variables/variables.index", "cannot be read"),
        ("assets.extra/tf_serving_warmup_requests", "expected a TFRecord of PredictionLog"),
        ("export.json", "expected JSON"),
    ],
)
def test_a_damaged_file_is_named(copied, show, file, message):
    (copied / file).write_bytes(b"\xff" * 50)
    status, out, err = show(copied)
    assert (status, out) == (2, "")
    assert str(copied / file).removesuffix(".index").removesuffix("/variables") in err
    assert message in err.splitlines()[-1]


def test_what_is_no_model_is_refused(show, tmp_path):
    status, _, err = show(tmp_path / "none")
    assert status == 2
    assert f"{tmp_path / 'none'}: expected a SavedModel's folder" in err.splitlines()[-1]
    status, _, err = show(tmp_path)
    assert status == 2
    assert f"{tmp_path} is no SavedModel: it has no saved_model.pb" in err.splitlines()[-1]
