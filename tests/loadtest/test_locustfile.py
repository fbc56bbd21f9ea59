"""Locust runs in processes of its own here: it patches the sockets of the one that imports it."""

import json
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import loadtest
from loadtest.answers import ask_grpc
from loadtest.config import CompareConfig
from loadtest.server_process import await_first_answer, choose_address, running

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


def test_both_users_run_from_locusts_own_web_page(fake_target, tmp_path):
    address, log = choose_address(CompareConfig()), tmp_path / "server.log"
    web_port = choose_address(CompareConfig()).rest_port
    command = [
        *(sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), f"--web-port={web_port}"),
        *("--web-host=127.0.0.1", f"--host=http://127.0.0.1:{address.rest_port}"),
        f"--grpc-address=127.0.0.1:{address.grpc_port}",
    ]
    server = fake_target().command(None, address, tmp_path)
    with running(server, (), log) as process, running(command, (), tmp_path / "locust.log"):
        await_first_answer(process, address, lambda: ask_grpc(b"p", "m", address), 30, log)
        page = f"http://127.0.0.1:{web_port}"
        fetch_when_up(page)
        form = urllib.parse.urlencode({"user_count": 2, "spawn_rate": 2}).encode()
        with urllib.request.urlopen(f"{page}/swarm", form) as response:
            assert json.load(response)["success"]
        asked = {"POST": 0, "gRPC": 0}
        deadline_s = time.monotonic() + 60
        while not all(asked.values()):
            assert time.monotonic() < deadline_s
            stats = json.loads(fetch_when_up(f"{page}/stats/requests"))
            asked |= {row["method"]: row["num_requests"] for row in stats["stats"]}
    assert not stats["errors"]


def fetch_when_up(url, deadline_s=60):
    end_s = time.monotonic() + deadline_s
    while True:
        try:
            with urllib.request.urlopen(url) as response:
                return response.read()
        except urllib.error.URLError:
            assert time.monotonic() < end_s
            time.sleep(0.05)
