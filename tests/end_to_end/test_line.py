"""The whole line on a miniature network: photos, training, export, server, and the same answer."""

import base64
import io
import json
import socket
import subprocess
import sys
import time
import urllib.request

import grpc
import keras
import numpy as np
import pytest
import tensorflow as tf
from PIL import Image
from tensorflow_serving.apis import predict_pb2, prediction_service_pb2_grpc

from graphmode.photo import photo_to_image

SIZE = 32


def photo(generator, red):
    """A noisy JPEG of one colour, as bytes."""
    pixels = generator.integers(0, 80, (40, 60, 3))
    pixels[..., 0 if red else 2] += 150
    file = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(file, "JPEG")
    return file.getvalue()


def stage(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def train(photos, run_dir):
    return stage(
        "training", "--data", photos, "--run_dir", run_dir, "--network", "tiny",
        "--preset", "quick", "--image_size", SIZE, "--course", f"{SIZE}x4",
        "--batch_size", 4, "--learning_rate", 0.02,
    )  # fmt: skip


def export(run_dir, models_dir):
    return stage("export", "--run_dir", run_dir, "--models_dir", models_dir, "--fuzz_requests", 200)


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    folder = tmp_path_factory.mktemp("photos")
    generator = np.random.default_rng(1)
    for name, red in (("blue", False), ("red", True)):
        (folder / name).mkdir()
        for number in range(12):
            (folder / name / f"{number}.jpg").write_bytes(photo(generator, red))
    return folder


@pytest.fixture(scope="module")
def run_dir(photos, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "tiny"
    train(photos, folder)
    return folder


@pytest.fixture(scope="module")
def models_dir(run_dir, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    result = export(run_dir, folder)
    assert len(result["published"]) == 3
    return folder


@pytest.fixture(scope="module", params=["resnet18", "resnet18-bf16", "resnet18-int8"])
def served(request, models_dir):
    """The name and ports of a model that is being served."""
    ports = []
    for _ in range(2):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            ports.append(taken.getsockname()[1])
    process = subprocess.Popen(
        [
            sys.executable, "-m", "serving", f"--port={ports[0]}", f"--rest_api_port={ports[1]}",
            f"--model_name={request.param}", f"--model_base_path={models_dir / request.param}",
            "--enable_batching",
        ],
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{ports[1]}/readyz", timeout=5):
                break
        except OSError:
            time.sleep(0.05)
    yield request.param, *ports
    process.terminate()
    assert process.wait(30) == 0


def ask_rest(name, port, encoded):
    body = {
        "signature_name": "image_bytes",
        "instances": [{"b64": base64.b64encode(one).decode()} for one in encoded],
    }
    url = f"http://127.0.0.1:{port}/v1/models/{name}:predict"
    with urllib.request.urlopen(url, json.dumps(body).encode(), timeout=30) as reply:
        predictions = json.load(reply)["predictions"]
    labels = [one["label"] for one in predictions]
    return labels, np.array([one["probabilities"] for one in predictions])


def ask_grpc(name, port, encoded):
    request = predict_pb2.PredictRequest()
    request.model_spec.name = name
    request.model_spec.signature_name = "image_bytes"
    request.inputs["image_bytes"].CopyFrom(tf.make_tensor_proto(encoded))
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub = prediction_service_pb2_grpc.PredictionServiceStub(channel)
        outputs = stub.Predict(request, timeout=30).outputs
    labels = [label.decode() for label in outputs["label"].string_val]
    return labels, tf.make_ndarray(outputs["probabilities"])


def test_a_photo_gets_the_same_answer_by_rest_by_grpc_and_from_keras(run_dir, served):
    name, grpc_port, rest_port = served
    generator = np.random.default_rng(2)
    encoded = [photo(generator, red) for red in (True, False, True)]
    model = keras.saving.load_model(run_dir / "model.keras", compile=False)
    images = tf.stack([photo_to_image(one, SIZE) for one in encoded])
    expected = np.asarray(model(images, training=False))
    classes = (run_dir / "labels.txt").read_text().split()
    wanted = [classes[index] for index in expected.argmax(axis=1)]
    assert np.ptp(expected, axis=1).min() > 0.1  # decided enough for labels to be comparable
    tolerance = {"resnet18": 1e-5, "resnet18-bf16": 0.02, "resnet18-int8": 0.1}[name]
    for labels, probabilities in (
        ask_rest(name, rest_port, encoded),
        ask_grpc(name, grpc_port, encoded),
    ):
        assert labels == wanted
        np.testing.assert_allclose(probabilities, expected, atol=tolerance, rtol=0)


def test_asked_again_nothing_is_trained_and_nothing_is_published(photos, run_dir, models_dir):
    train(photos, run_dir)
    result = export(run_dir, models_dir)
    assert result["published"] == []
    assert [folder.name for folder in (models_dir / "resnet18").iterdir()] == ["1"]
