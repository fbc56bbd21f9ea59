"""Several workers learn what one would: the same losses, the same network; a lost one is told."""

import json
import os
import signal
import socket
import subprocess
import sys

import numpy as np
import pytest

from training.errors import TrainingError
from training.place import Place, place_of

TINY = [
    "--preset", "quick", "--network", "tiny", "--image_size", "32", "--batch_size", "8",
    "--precision", "float32", "--optimizer", "sgd", "--learning_rate", "0.02",
    "--average_decay", "0.9", "--color", "0.2",
]  # fmt: skip

# What TensorFlow adds up in another order differs in the last bits, and training magnifies that.
CLOSE = {"rtol": 1e-4, "atol": 1e-5}
LATER = {"rtol": 2e-3, "atol": 2e-4}

TWO_CPUS = """
import sys
import tensorflow as tf

cpu, = tf.config.list_physical_devices("CPU")
two = [tf.config.LogicalDeviceConfiguration()] * 2
tf.config.set_logical_device_configuration(cpu, two)
from training.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def flags(photos_dir):
    return [*TINY, "--data", str(photos_dir)]


@pytest.fixture
def start():
    """Start a training in a process of its own; what is left of it is ended with the test."""
    started = []

    def begin(flags, task=None, workers=(), program=("-m", "training")):
        environment = dict(os.environ)
        if workers:
            environment["TF_CONFIG"] = json.dumps(
                {"cluster": {"worker": workers}, "task": {"type": "worker", "index": task}}
            )
        process = subprocess.Popen(
            [sys.executable, *program, *map(str, flags)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def free_addresses(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    addresses = [f"127.0.0.1:{one.getsockname()[1]}" for one in sockets]
    for one in sockets:
        one.close()
    return addresses


def finished(*processes):
    outputs = [process.communicate(timeout=200) for process in processes]
    for process, (_, errors) in zip(processes, outputs, strict=True):
        assert process.returncode == 0, errors
    return [json.loads(printed.splitlines()[-1]) for printed, _ in outputs]


def two_workers(start, flags, run_dir):
    workers = free_addresses(2)
    flags = [*flags, "--strategy", "multi_worker", "--run_dir", run_dir]
    return [start(flags, task, workers) for task in range(2)]


def rows_of(run_dir):
    lines = (run_dir / "metrics.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def assert_same_learning(run_dir, alone_dir):
    ours, theirs = rows_of(run_dir), rows_of(alone_dir)
    assert len(ours) == len(theirs)
    for name in ("loss", "accuracy", "validation_loss", "validation_accuracy"):
        np.testing.assert_allclose(
            [row[name] for row in ours], [row[name] for row in theirs], **CLOSE, err_msg=name
        )
    newest = max(path.name for path in (run_dir / "checkpoints").glob("step-*.npz"))
    with (
        np.load(run_dir / "checkpoints" / newest) as our,
        np.load(alone_dir / "checkpoints" / newest) as their,
    ):
        assert set(our.files) == set(their.files)
        for name in our.files:
            np.testing.assert_allclose(our[name], their[name], **CLOSE, err_msg=name)


@pytest.mark.slow
def test_two_workers_learn_what_one_learns(start, flags, tmp_path):
    flags = [*flags, "--course", "32x2"]
    chief, other = finished(*two_workers(start, flags, tmp_path / "two"))
    finished(start([*flags, "--run_dir", tmp_path / "one"]))
    assert_same_learning(tmp_path / "two", tmp_path / "one")
    assert chief["validation_photos"] == 4
    assert other["worker"] == 1


@pytest.mark.slow
def test_two_devices_learn_what_one_learns(start, flags, tmp_path):
    flags = [*flags, "--course", "32x2"]
    mirrored = [*flags, "--strategy", "mirrored", "--run_dir", tmp_path / "two"]
    finished(
        start(mirrored, program=("-c", TWO_CPUS)), start([*flags, "--run_dir", tmp_path / "one"])
    )
    assert_same_learning(tmp_path / "two", tmp_path / "one")


@pytest.mark.slow
def test_a_lost_worker_ends_the_job_which_then_goes_on(start, flags, tmp_path):
    flags = [*flags, "--course", "32x40"]
    chief, other = two_workers(start, flags, tmp_path / "two")
    for line in chief.stderr:
        if line.startswith("epoch 2 "):
            break
    other.send_signal(signal.SIGKILL)
    _, errors = chief.communicate(timeout=120)
    assert chief.returncode == 2, errors
    last = errors.splitlines()[-1]
    assert last.startswith("training: worker 0 lost the others (")
    assert "start all workers again" in last
    assert f"{tmp_path / 'two'} goes on after step " in last
    assert "Traceback" not in errors
    finished(*two_workers(start, flags, tmp_path / "two"))
    finished(start([*flags, "--run_dir", tmp_path / "one"]))
    assert len(rows_of(tmp_path / "two")) == 40
    np.testing.assert_allclose(
        rows_of(tmp_path / "two")[4]["loss"], rows_of(tmp_path / "one")[4]["loss"], **LATER
    )


@pytest.mark.slow
def test_workers_with_other_photos_or_flags_are_refused(start, flags, save_photo, tmp_path):
    fill = tmp_path / "photos"
    for label, name in enumerate(("blue", "red")):
        for number in range(13):
            save_photo(fill / name / f"{number:02d}.jpg", label, seed=number)
    flags = [*flags, "--course", "32x1", "--strategy", "multi_worker", "--run_dir", tmp_path / "r"]
    for changed, what in ((["--data", fill], "photos"), (["--seed", 9], "settings")):
        workers = free_addresses(2)
        both = start(flags, 0, workers), start([*flags, *changed], 1, workers)
        for process in both:
            _, errors = process.communicate(timeout=100)
            assert process.returncode == 2, errors
            assert f"training: the workers have not the same {what}" in errors.splitlines()[-1]


@pytest.mark.slow
def test_a_worker_says_that_it_waits(start, flags, tmp_path):
    flags = [*flags, "--strategy", "multi_worker", "--run_dir", tmp_path / "run"]
    workers = free_addresses(2)
    alone = start(flags, 0, workers)
    waits = next(line for line in alone.stderr if "waits for" in line)
    assert waits == f"worker 0 waits for the others to start: {workers[1]}\n"


@pytest.mark.slow
def test_a_port_in_use_is_named(start, flags, tmp_path):
    flags = [*flags, "--strategy", "multi_worker", "--run_dir", tmp_path / "run"]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        worker = start(flags, 0, [address, *free_addresses(1)])
        _, errors = worker.communicate(timeout=100)
    assert worker.returncode == 2, errors
    assert f"worker 0 cannot be reached at {address}: is the port in use" in errors


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "needs TF_CONFIG, as in"),
        ("{", "must be as in .*, not {"),
        ('{"cluster": {}}', "must be as in"),
        (
            '{"cluster": {"worker": ["a:1"], "ps": ["b:2"]}, "task": {"type": "ps", "index": 0}}',
            "must name workers only",
        ),
        (
            '{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 3}}',
            "names 1 workers, and task.index 3",
        ),
        ('{"cluster": {"worker": "a:1"}, "task": {"type": "worker", "index": 0}}', "HOST:PORT"),
        ('{"cluster": {"worker": ["a"]}, "task": {"type": "worker", "index": 0}}', "HOST:PORT"),
        ('{"cluster": {"worker": [1]}, "task": {"type": "worker", "index": 0}}', "must be as in"),
    ],
)
def test_a_wrong_tf_config_is_refused_with_an_example(text, message, monkeypatch):
    if text is None:
        monkeypatch.delenv("TF_CONFIG", raising=False)
    else:
        monkeypatch.setenv("TF_CONFIG", text)
    with pytest.raises(TrainingError, match=message):
        place_of("multi_worker")


def test_tf_config_says_the_place(monkeypatch):
    text = '{"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 1}}'
    monkeypatch.setenv("TF_CONFIG", text)
    assert place_of("multi_worker") == Place(1, ("a:1", "b:1"))
    assert place_of("single") == Place()
