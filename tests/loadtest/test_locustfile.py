"""Locust runs in processes of its own here: it patches the sockets of the one that imports it."""

import subprocess
import sys
from pathlib import Path

import loadtest

LOCUSTFILE = Path(loadtest.__file__).with_name("locustfile.py")


def locust(*arguments):
    command = [sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_both_users_are_offered():
    listed = locust("--list").stdout
    assert "RestJpegUser" in listed
    assert "GrpcJpegUser" in listed


def test_another_machine_is_not_loaded_by_accident(tmp_path):
    rows = tmp_path / "rows.csv"
    done = locust(
        *("RestJpegUser", "--headless", "--run-time=5s", "--host=http://192.0.2.1:8501"),
        f"--rows-file={rows}",
    )
    assert done.returncode == 2
    assert "give --allow-other-hosts if you mean it" in done.stderr
    assert len(rows.read_text().splitlines()) == 1  # no request


def test_another_machine_behind_grpc_is_not_loaded_by_accident():
    done = locust(
        *("GrpcJpegUser", "--headless", "--run-time=5s", "--host=http://127.0.0.1:1"),
        "--grpc-address=192.0.2.1:8500",
    )
    assert done.returncode == 2
    assert "192.0.2.1:8500 is not this machine" in done.stderr


def test_a_folder_without_photos_ends_the_test(tmp_path):
    done = locust(
        *("RestJpegUser", "--headless", "--run-time=5s", "--host=http://127.0.0.1:1"),
        f"--photos={tmp_path}",
    )
    assert "no JPEG photo under" in done.stderr


def test_the_load_generator_imports_no_tensorflow():
    code = "import loadtest.users, sys; print('tensorflow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
