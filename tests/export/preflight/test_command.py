"""The command line."""

import json
import subprocess
import sys

import pytest
import tensorflow as tf

from export.preflight.checking import CHECKS
from export.preflight.command import main


@pytest.fixture
def cut_model(tmp_path):
    """A model whose one version is cut, so that nothing of it is run."""
    folder = tmp_path / "cut" / "1"
    folder.mkdir(parents=True)
    (folder / "saved_model.pb").write_bytes(b"\x08\x01\x12")
    return folder.parent


def test_a_folder_that_does_not_exist_is_a_usage_error(check, tmp_path):
    result = check(tmp_path / "none")
    assert result.status == 2
    assert "expected a folder" in result.stderr
    assert result.report["findings"] == []


def test_files_that_do_not_exist_are_usage_errors(check, cut_model):
    for flag in ("--config", "--batching"):
        result = check(cut_model, f"{flag}=/none")
        assert result.status == 2
        assert f"{flag} /none: expected a file" in result.stderr


@pytest.mark.parametrize("arguments", [[], ["model", "--nope"], ["model", "--fuzz_requests=-1"]])
def test_wrong_flags_are_usage_errors(arguments, capsys):
    try:
        status = main(arguments)
    except SystemExit as end:
        status = end.code
    assert status == 2
    assert capsys.readouterr().out == ""


def test_every_check_has_a_finding_in_order(check, cut_model):
    result = check(cut_model)
    assert tuple(result.verdicts) == CHECKS
    assert result.failing == ["graph file"]


def test_piped_it_prints_a_plain_line_for_each_check(cut_model, capsys):
    assert main([str(cut_model)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(CHECKS) + 1
    assert lines[1].startswith("FAILS          graph file: ")
    assert lines[-1] == f"{cut_model / '1'}: 1 check fails: graph file"


def test_a_model_in_order_lists_its_signatures_and_exits_with_0(save):
    spec = tf.TensorSpec([None, 2], tf.float32, name="x")
    folder = save(serving_default=(lambda x: {"y": x[:, 0]}, spec))
    command = [sys.executable, "-m", "export", "check", str(folder), "--fuzz_requests", "0"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    lines = process.stdout.splitlines()
    assert lines[0] == "serving_default (tensorflow/serving/predict) in x: float32 [?,2]"
    assert lines[1] == "serving_default (tensorflow/serving/predict) out y: float32 [?]"
    assert lines[-1] == f"{folder}: nothing would fail"
    assert "asking every signature" in process.stderr


def test_json_is_all_of_stdout(cut_model, capsys):
    assert main([str(cut_model), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert set(report) == {"saved_model", "signatures", "findings", "failing"}
    assert set(report["findings"][0]) == {"name", "verdict", "found", "advice"}
