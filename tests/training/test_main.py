"""The command: exit codes, one line for what the user can mend, a last line for programs."""

import json
import signal
import subprocess
import sys

import keras
import numpy as np
import pytest

from training.__main__ import main

TINY = ["--preset", "quick", "--network", "tiny", "--image_size", "32"]


@pytest.fixture
def flags(photos_dir, tmp_path):
    return [*TINY, "--data", str(photos_dir), "--run_dir", str(tmp_path / "run")]


def test_a_training_ends_with_a_line_of_json(flags, capsys, tmp_path):
    assert main([*flags, "--course", "32x1"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert result["run_dir"] == str(tmp_path / "run")
    assert 0 <= result["validation_accuracy"] <= 1


def test_without_data_drawn_photos_are_used_and_that_is_said(capsys, tmp_path):
    assert main([*TINY, "--run_dir", str(tmp_path / "run"), "--course", "32x1"]) == 0
    printed = capsys.readouterr()
    assert "This is for trying things out" in printed.err
    assert json.loads(printed.out.splitlines()[-1])["train_photos"] == 400


def test_a_finished_training_is_not_repeated_and_needs_no_tensorflow(flags, capsys):
    assert main([*flags, "--course", "32x1"]) == 0
    result = capsys.readouterr().out.splitlines()[-1]
    program = (
        "import sys\n"
        "from training.__main__ import main\n"
        "code = main(sys.argv[1:])\n"
        "sys.exit(code or int('tensorflow' in sys.modules) * 9)\n"
    )
    again = subprocess.run(
        [sys.executable, "-c", program, *flags, "--course", "32x1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 0, again.stderr
    assert "already trained with these settings" in again.stderr
    assert again.stdout.splitlines()[-1] == result


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (["--data", "nowhere"], "nowhere: no such folder"),
        (["--course", "32x0"], "course: a lap must have at least 1 epoch, not '32x0'"),
    ],
)
def test_what_the_user_can_mend_is_one_line_and_exit_code_2(changed, message, flags, capsys):
    assert main([*flags, *changed]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(f"training: {message}")
    assert printed.err.count("\n") == 1
    assert printed.out == ""


def test_a_refused_training_leaves_no_folder_behind(flags, tmp_path):
    assert main([*flags, "--data", "nowhere"]) == 2
    assert not (tmp_path / "run").exists()


def test_ctrl_c_ends_with_130_and_says_how_to_go_on(flags, tmp_path):
    with subprocess.Popen(
        [sys.executable, "-m", "training", *flags, "--course", "32x100000"],
        stderr=subprocess.PIPE,
        text=True,
    ) as training:
        for line in training.stderr:
            if line.startswith("epoch 1 "):
                break
        training.send_signal(signal.SIGINT)
        _, errors = training.communicate(timeout=60)
    assert training.returncode == 130
    assert errors.splitlines()[-1] == (
        f"training: stopped; the same command goes on from there in {tmp_path / 'run'}"
    )
    assert "Traceback" not in errors
    assert not (tmp_path / "run" / "model.keras").exists()
    assert list((tmp_path / "run" / "checkpoints").glob("step-*.npz"))


KILLED_AT = """
import itertools, os, signal, sys
from training.__main__ import main
from training.progress import PlainReporter

what, number, *flags = sys.argv[1:]
calls = itertools.count(1)

def killing(function):
    def called(*arguments):
        if next(calls) == int(number):
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments)
    return called

if what == "write":
    os.fsync = killing(os.fsync)
else:
    PlainReporter.step = killing(PlainReporter.step)
sys.exit(main(flags))
"""


# Writes: config, labels, then metrics and checkpoint of each epoch, graph, result, network.
@pytest.mark.parametrize(
    "kills", [[("write", 3), ("write", 3), ("step", 2)], [("step", 5), ("write", 4), ("write", 2)]]
)
def test_a_training_killed_at_any_moment_ends_as_an_undisturbed_one(kills, flags, tmp_path):
    flags = [
        *flags,
        "--course",
        "32x3",
        "--batch_size",
        "8",
        "--average_decay",
        "0.9",
        "--optimizer",
        "sgd",
    ]
    for what, number in kills:
        killed = subprocess.run(
            [sys.executable, "-c", KILLED_AT, what, str(number), *flags],
            capture_output=True,
            text=True,
            check=False,
        )
        assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert main(flags) == 0
    assert main([*flags, "--run_dir", str(tmp_path / "undisturbed")]) == 0
    ours, theirs = (
        keras.saving.load_model(tmp_path / name / "model.keras", compile=False).get_weights()
        for name in ("run", "undisturbed")
    )
    for our, their in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(our, their)
