"""The baseline over a small real Keras model, in a process of its own, asked over sockets."""

import base64
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request

import numpy as np
import pytest
from PIL import Image

from serving.errors import StartError
from serving.flask_baseline.config import BaselineConfig
from serving.flask_baseline.keras_model import GraphModel
from serving.flask_baseline.rest import create_app

PREDICT = "/v1/models/any:predict"
# Trains nothing: random weights, sharp enough that two images differ in their probabilities.
# The answers are those of the model called directly on the images that the tests send.
MAKE_RUN = """
import sys
import keras, numpy as np
folder = sys.argv[1]
keras.utils.set_random_seed(3)
image = keras.Input((224, 224, 3), name="image")
x = keras.layers.Conv2D(4, 7, strides=8, activation="relu")(image)
x = keras.layers.GlobalAveragePooling2D()(x)
sharp = keras.initializers.RandomNormal(stddev=9)
x = keras.layers.Dense(3, activation="softmax", kernel_initializer=sharp)(x)
model = keras.Model(image, x)
model.save(f"{folder}/model.keras")
open(f"{folder}/labels.txt", "w").write("cats\\ndogs\\nhens\\n")
pixels = np.load(f"{folder}/pixels.npy")
np.save(f"{folder}/expected.npy", model(pixels.astype(np.float32) / 255, training=False).numpy())
"""
LABELS = ["cats", "dogs", "hens"]


class RunningBaseline:
    """A baseline process; made, it is ready."""

    def __init__(self, *flags):
        self.process = start(*flags)
        first = self.process.stderr.readline()
        self.port = int(re.search(r"listening on http://127\.0\.0\.1:(\d+) ", first)[1])
        log = []
        for line in self.process.stderr:
            log.append(line)
            if "ready" in line:
                return
        pytest.fail("the baseline ended before it was ready: " + "".join(log))

    def ask(self, path, body=None):
        """The status and the JSON (or else the text) of an answer."""
        data = json.dumps(body).encode() if isinstance(body, dict) else body
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data)
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                status, text = reply.status, reply.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                status, text = error.code, error.read().decode()
        return status, json.loads(text) if text.startswith("{") else text

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            _, log = self.process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            _, log = self.process.communicate()
        return self.process.returncode, log


def start(*flags):
    command = [sys.executable, "-m", "serving.flask_baseline", *flags]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)


def refuse_to_start(*flags):
    """The exit code and the log of a baseline that does not start."""
    process = start(*flags)
    _, log = process.communicate(timeout=60)
    return process.returncode, log


@pytest.fixture(scope="module")
def pixels():
    """Four images, each of one colour, which a photo's resizing leaves as they are."""
    colours = np.array([[250, 10, 10], [10, 250, 10], [10, 10, 250], [200, 200, 0]], np.uint8)
    return np.broadcast_to(colours[:, None, None, :], (4, 224, 224, 3)).copy()


@pytest.fixture(scope="module")
def run_dir(tmp_path_factory, pixels):
    folder = tmp_path_factory.mktemp("runs") / "tiny"
    folder.mkdir()
    np.save(folder / "pixels.npy", pixels)
    environment = {**os.environ, "KERAS_HOME": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", MAKE_RUN, str(folder)],
        capture_output=True, text=True, check=False, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def expected(run_dir):
    """Probabilities [4,3] of the model called directly on the four images."""
    answers = np.load(run_dir / "expected.npy")
    assert len(set(answers.argmax(1))) > 1
    return answers


@pytest.fixture(scope="module", params=["eager", "graph"])
def baseline(request, run_dir):
    running = RunningBaseline(f"--run_dir={run_dir}", "--port=0", f"--execution={request.param}")
    yield running
    running.stop()


def png(image):
    encoded = io.BytesIO()
    Image.fromarray(image).save(encoded, "PNG")
    return encoded.getvalue()


def b64(content):
    return {"b64": base64.b64encode(content).decode()}


def assert_predicts(answer, expected):
    status, body = answer
    assert status == 200, body
    probabilities = [row["probabilities"] for row in body["predictions"]]
    np.testing.assert_allclose(probabilities, expected, atol=1e-5)
    assert [row["label"] for row in body["predictions"]] == [
        LABELS[index] for index in expected.argmax(1)
    ]


def assert_refuses(answer, *words):
    status, body = answer
    assert status == 400
    assert all(word in body["error"] for word in words), body


def test_photos_get_what_the_model_called_directly_answers(baseline, pixels, expected):
    body = {"signature_name": "image_bytes", "instances": [b64(png(image)) for image in pixels]}
    assert_predicts(baseline.ask(PREDICT, body), expected)


def test_photos_may_be_named_by_their_alias(baseline, pixels, expected):
    rows = [{"image_bytes": b64(png(image))} for image in pixels[:2]]
    answer = baseline.ask(PREDICT, {"signature_name": "image_bytes", "instances": rows})
    assert_predicts(answer, expected[:2])


def test_uint8_pixels_get_what_the_model_called_directly_answers(baseline, pixels, expected):
    body = {"signature_name": "uint8", "instances": pixels[:1].tolist()}
    assert_predicts(baseline.ask(PREDICT, body), expected[:1])


def test_float_pixels_are_the_default_signature(baseline, pixels, expected):
    rows = [{"image": (image / 255).tolist()} for image in pixels[:1]]
    assert_predicts(baseline.ask(PREDICT, {"instances": rows}), expected[:1])


def test_inputs_in_columns_are_answered_in_columns(baseline, pixels, expected):
    inputs = {"image_bytes": [b64(png(image)) for image in pixels]}
    status, body = baseline.ask(PREDICT, {"signature_name": "image_bytes", "inputs": inputs})
    assert status == 200
    np.testing.assert_allclose(body["outputs"]["probabilities"], expected, atol=1e-5)
    assert body["outputs"]["label"] == [LABELS[index] for index in expected.argmax(1)]


def test_a_bad_photo_among_good_ones_is_named(baseline, pixels):
    rows = [b64(png(pixels[0])), b64(b"no photo"), b64(png(pixels[1]))]
    answer = baseline.ask(PREDICT, {"signature_name": "image_bytes", "instances": rows})
    assert_refuses(answer, "image_bytes[1]", "JPEG", "8 bytes")


def test_an_empty_photo_is_refused(baseline):
    answer = baseline.ask(PREDICT, {"signature_name": "image_bytes", "instances": [b64(b"")]})
    assert_refuses(answer, "image_bytes[0]")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"signature_name": "image_bytes", "instances": [{"b64": "%%%"}]}, ["base64"]),
        ({"signature_name": "image_bytes", "instances": ["a cat"]}, ["image_bytes[0]"]),
        ({"signature_name": "image_bytes", "instances": [["a"]]}, ["[1, 1]", "[?]"]),
        ({"signature_name": "uint8", "instances": [[[[1, 2, 3]]]]}, ["[1, 1, 1, 3]", "224"]),
        ({"signature_name": "uint8", "instances": [[["a"]]]}, ["uint8"]),
        ({"instances": [1.5]}, ["[1]", "[?, 224, 224, 3]"]),
        ({"instances": []}, ["No values in 'instances'"]),
        ({"inputs": {"picture": 1}}, ["Missing named input: image"]),
        ({"signature_name": "resnet", "instances": [1]}, ['"resnet" not found']),
        ({"signature_name": ["uint8"], "instances": [1]}, ["not found"]),
        ({"images": []}, ["Missing 'inputs' or 'instances' key"]),
        (b'{"instances": [1', ["JSON Parse error"]),
        (b"", ["JSON Parse error", "empty"]),
    ],
)
def test_a_bad_request_gets_400_and_the_reason(baseline, body, words):
    assert_refuses(baseline.ask(PREDICT, body), *words)


def test_each_graph_is_traced_once_whatever_the_batch_size(run_dir, pixels):
    model = GraphModel(run_dir)
    photos = np.array([png(image) for image in pixels], object)
    for rows in (1, 3, 4):
        model.predict("image_bytes", photos[:rows])
        model.predict("uint8", pixels[:rows])
        model.predict("serving_default", pixels[:rows].astype(np.float32))
    assert model.classify_images.experimental_get_tracing_count() == 1
    assert model.classify_encoded.experimental_get_tracing_count() == 1


def test_status_health_and_readiness(baseline):
    status, body = baseline.ask("/v1/models/any")
    assert status == 200
    (version,) = body["model_version_status"]
    assert (version["version"], version["state"]) == ("1", "AVAILABLE")
    assert baseline.ask("/healthz")[0] == 200
    assert baseline.ask("/readyz")[0] == 200


def test_other_paths_get_an_error_in_json(baseline):
    assert baseline.ask("/v2/models/any")[0] == 404
    assert "error" in baseline.ask("/v2/models/any")[1]
    assert_refuses(baseline.ask(PREDICT), "Malformed request: GET")


def test_sigterm_ends_it_with_exit_code_0(run_dir):
    running = RunningBaseline(f"--run_dir={run_dir}", "--port=0")
    assert running.stop()[0] == 0


def test_a_port_in_use_is_named(run_dir):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, log = refuse_to_start(f"--run_dir={run_dir}", f"--port={port}")
    assert code == 2
    assert log.count("\n") == 1
    assert f"port: {port} is in use" in log


def test_a_run_without_a_model_says_what_to_do(tmp_path):
    code, log = refuse_to_start(f"--run_dir={tmp_path / 'none'}")
    assert code == 2
    assert log.count("\n") == 1
    assert "no model.keras" in log
    assert "make train" in log


def test_a_cut_model_file_is_refused(run_dir, tmp_path):
    whole = (run_dir / "model.keras").read_bytes()
    (tmp_path / "model.keras").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "labels.txt").write_text("cats\n")
    code, log = refuse_to_start(f"--run_dir={tmp_path}")
    assert code == 2
    assert "damaged" in log


@pytest.mark.parametrize(
    ("field", "value"), [("port", 65536), ("threads", 0), ("intra_op_threads", 0)]
)
def test_a_setting_out_of_bounds_names_field_and_value(tmp_path, field, value):
    with pytest.raises(StartError, match=f"{field} must be from .* got {value}"):
        BaselineConfig(run_dir=tmp_path, **{field: value})


def test_a_bug_tells_the_client_nothing_and_the_log_everything(caplog):
    def fail(*_):
        raise RuntimeError("secret of the model")

    client = create_app(fail).test_client()
    body = {"signature_name": "image_bytes", "instances": [b64(b"photo")]}
    reply = client.post(PREDICT, json=body)
    assert reply.status_code == 500
    assert "internal error, request id" in reply.json["error"]
    assert "secret" not in reply.text
    assert "secret of the model" in caplog.text
