import json
import shutil
import subprocess
import sys

import pytest

from export.__main__ import main


@pytest.fixture
def export(monkeypatch, capsys, tmp_path):
    """Runs `python -m export` in this process: exit status, stdout, stderr."""

    def run(run_dir, *flags, models_dir=tmp_path / "models"):
        arguments = ["export", "--run_dir", str(run_dir), "--models_dir", str(models_dir), *flags]
        monkeypatch.setattr(sys, "argv", arguments)
        monkeypatch.setenv("TF_ONEDNN_ASSUME_FROZEN_WEIGHTS", "0")  # main changes it: put it back
        status = main()
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


@pytest.fixture
def copied_run(run_dir, tmp_path):
    return shutil.copytree(run_dir, tmp_path / "run")


def test_a_run_that_does_not_exist(export, tmp_path):
    status, out, err = export(tmp_path / "none")
    assert (status, out) == (2, "")
    assert err == f"export: run_dir {tmp_path}/none does not exist: run `make train` first\n"


def test_an_unfinished_training(export, copied_run):
    (copied_run / "model.keras").unlink()
    status, _, err = export(copied_run)
    assert status == 2
    assert "model.keras is missing: the training is unfinished" in err


def test_a_cut_model_file(export, copied_run):
    whole = (copied_run / "model.keras").read_bytes()
    (copied_run / "model.keras").write_bytes(whole[: len(whole) // 2])
    status, _, err = export(copied_run)
    assert status == 2
    assert "model.keras cannot be read as a Keras model" in err.splitlines()[-1]


def test_labels_of_another_run(export, copied_run):
    (copied_run / "labels.txt").write_text("cat\ndog\n")
    status, _, err = export(copied_run)
    assert status == 2
    assert "has 2 labels, but the model has 3 classes" in err.splitlines()[-1]


def test_an_empty_line_among_the_labels(export, copied_run):
    (copied_run / "labels.txt").write_text("cat\n\ndog\n")
    status, _, err = export(copied_run)
    assert status == 2
    assert "without empty lines" in err


def test_a_models_dir_that_cannot_be_written(export, copied_run, tmp_path):
    (tmp_path / "file").write_text("")
    status, _, err = export(copied_run, models_dir=tmp_path / "file")
    assert status == 2
    assert "cannot be written" in err


@pytest.mark.parametrize(
    ("flags", "field"),
    [
        (["--warmup_batch_sizes", "0"], "warmup_batch_sizes"),
        (["--bf16_tolerance", "-1"], "bf16_tolerance"),
        (["--model_name", ".hidden"], "model_name"),
    ],
)
def test_a_setting_out_of_bounds_is_named(export, copied_run, flags, field):
    status, _, err = export(copied_run, *flags)
    assert status == 2
    assert err.startswith(f"export: {field}")


def test_an_export_that_is_up_to_date_does_not_import_tensorflow(first_export, export_config):
    code = (
        "import sys; from export.__main__ import main; status = main(); "
        "sys.exit(status or 'tensorflow' in sys.modules)"
    )
    flags = [
        f"--run_dir={export_config.run_dir}",
        f"--models_dir={export_config.models_dir}",
        "--model_name=small",
        "--warmup_signatures",
        *export_config.warmup_signatures,
        "--warmup_batch_sizes",
        *map(str, export_config.warmup_batch_sizes),
    ]
    command = [sys.executable, "-c", code, *flags]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout.splitlines()[-1])["up_to_date"] == first_export.published
