"""The guarded model in our server, which is told to leave shapes to TensorFlow, as others do."""

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

RANK_ONE = {"inputs": {"image": [1.0]}}
GOOD = {"inputs": {"image": [[[[0.5] * 3] * 32] * 32]}}


class Server:
    """A server of one model on a free port of 127.0.0.1, in a process of its own."""

    def __init__(self, model):
        with socket.create_server(("127.0.0.1", 0)) as free, socket.create_server(("", 0)) as other:
            port, grpc_port = free.getsockname()[1], other.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        command = [
            sys.executable, "-m", "serving", f"--port={grpc_port}", f"--rest_api_port={port}",
            "--model_name=model", f"--model_base_path={model}", "--validate_input_shapes=false",
        ]  # fmt: skip
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)

    def ask(self, path, body=None):
        """Status and JSON of an answer."""
        data = body and json.dumps(body).encode()
        try:
            with urllib.request.urlopen(f"{self.address}{path}", data, timeout=30) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def wait_until_ready(self):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                if self.ask("/readyz")[0] == 200:
                    return
            except OSError:
                assert self.process.poll() is None, "the server ended before it was ready"
            time.sleep(0.1)
        pytest.fail("the server is not ready after 60 s")


@pytest.fixture
def serve():
    """Starts servers that end with the test."""
    started = []

    def start(version_folder):
        started.append(Server(version_folder.parent))
        started[-1].wait_until_ready()
        return started[-1]

    yield start
    for server in started:
        server.process.terminate()
        server.process.wait(timeout=40)


@pytest.mark.usefixtures("onednn")
def test_what_ends_a_server_is_answered_400_with_the_guard(serve, deadly_model, guarded_model):
    unguarded = serve(deadly_model)
    expected = unguarded.ask("/v1/models/model:predict", GOOD)
    with pytest.raises(OSError, match=r"closed|reset|Remote"):
        unguarded.ask("/v1/models/model:predict", RANK_ONE)
    assert unguarded.process.wait(timeout=30) < 0

    guarded = serve(guarded_model)
    status, body = guarded.ask("/v1/models/model:predict", RANK_ONE)
    assert status == 400
    assert "is not compatible with expected shape [?,32,32,3]" in json.loads(body)["error"]
    assert guarded.ask("/v1/models/model:predict", GOOD) == expected
    assert expected[0] == 200
