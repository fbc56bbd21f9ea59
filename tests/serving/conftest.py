"""Real models, made once by TensorFlow in a process of its own, and real servers over them."""

import contextlib
import json
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


class RunningServer:
    """A server in a process of its own, and how to talk to it."""

    def __init__(self, *flags):
        self.rest_port, self.grpc_port = free_port(), free_port()
        command = [
            sys.executable, "-m", "serving", f"--port={self.grpc_port}",
            f"--rest_api_port={self.rest_port}", "--tensorflow_session_parallelism=1",
            "--file_system_poll_wait_seconds=0.1", *flags,
        ]  # fmt: skip
        self.process = subprocess.Popen(
            command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, path, body=None, *, method=None, headers=None):
        """The status and the body of a REST answer, the body as JSON where it is JSON."""
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.rest_port}{path}", body, headers or {}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                status, text = reply.status, reply.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                status, text = error.code, error.read().decode()
        try:
            return status, json.loads(text)
        except ValueError:
            return status, text

    def wait_until(self, is_so, what, timeout_s=30):
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                if is_so():
                    return
            if self.process.poll() is not None:
                pytest.fail(f"the server ended before {what}: {self.process.stderr.read()}")
            time.sleep(0.05)
        pytest.fail(f"not within {timeout_s} s: {what}")

    def wait_until_ready(self):
        self.wait_until(lambda: self.ask("/readyz")[0] == 200, "being ready")
        return self

    def states(self, name):
        """The state of each version, by version."""
        listed = self.ask(f"/v1/models/{name}")[1].get("model_version_status", [])
        return {int(entry["version"]): entry["state"] for entry in listed}

    def stop(self):
        """End the server by SIGTERM; its exit code and what it logged."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            _, log = self.process.communicate(timeout=40)
        except subprocess.TimeoutExpired:
            self.process.kill()
            _, log = self.process.communicate()
        return self.process.returncode, log


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """The folder with the small models `scale`, `multi`, `dtypes`, `strings` and `examples`."""
    folder = tmp_path_factory.mktemp("models")
    script = HERE / "conformance" / "models.py"
    done = subprocess.run(
        [sys.executable, str(script), str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def start():
    """Starts servers that end with the test."""
    running = []

    def start_server(*flags):
        running.append(RunningServer(*flags))
        return running[-1]

    yield start_server
    for server in running:
        server.stop()


@pytest.fixture(scope="module")
def server(models):
    """One server over all the small models, with input shapes checked, shared by a module."""
    running = RunningServer(
        f"--model_config_file={models / 'models.config'}", "--rest_api_max_body_mb=1"
    )
    yield running.wait_until_ready()
    running.stop()


@pytest.fixture(scope="module")
def unchecked_server(models):
    """The same as TensorFlow Serving has it: input shapes are TensorFlow's business."""
    running = RunningServer(
        f"--model_config_file={models / 'models.config'}", "--validate_input_shapes=false"
    )
    yield running.wait_until_ready()
    running.stop()
