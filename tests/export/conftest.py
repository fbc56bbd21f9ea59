import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import warnings
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

from export.config import ExportConfig
from export.exporting import export_run
from export.progress import Narrator
from export.signature_spec import expected_signatures

SIZE = 32
LABELS = ("cat", "dog", "fox")


def small_network():
    """Each kind of layer that the export folds, in a few thousand weights."""
    image = keras.Input((SIZE, SIZE, 3), name="image")
    x = layers.Rescaling(2.0, offset=-0.5)(image)
    x = layers.Normalization(mean=[0.4, 0.5, 0.6], variance=[0.2, 0.3, 0.4])(x)
    x = layers.ZeroPadding2D(((3, 2), (2, 3)))(x)
    x = layers.Conv2D(8, 7, strides=2, use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    x = layers.ReLU()(x)
    x = layers.MaxPooling2D(3, strides=2, padding="same")(x)
    shortcut = layers.Conv2D(16, 1, strides=2, use_bias=True)(x)
    shortcut = layers.BatchNormalization(scale=False)(shortcut)
    x = layers.Conv2D(16, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.BatchNormalization(center=False)(x)  # follows an activation: cannot be folded
    x = layers.Add()([x, shortcut])
    x = layers.Activation("relu")(x)
    x = layers.GlobalAveragePooling2D()(x)
    x = layers.Dense(len(LABELS))(x)
    return keras.Model(image, layers.Softmax()(x))


@pytest.fixture(scope="session")
def network():
    """A network whose batch norms are not the identity."""
    keras.utils.set_random_seed(7)
    model = small_network()
    random = np.random.default_rng(7)
    for layer in model.layers:
        if isinstance(layer, layers.BatchNormalization):
            weights = [random.uniform(0.5, 1.5, value.shape) for value in layer.get_weights()]
            layer.set_weights(weights)
    return model


@pytest.fixture(scope="session")
def images():
    random = np.random.default_rng(8)
    return random.random((3, SIZE, SIZE, 3), dtype=np.float32)


@pytest.fixture(scope="session")
def run_dir(network, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "small"
    folder.mkdir()
    with warnings.catch_warnings():
        # Keras 3.15 reads a variable by an __array__ without the copy keyword of NumPy 2.
        warnings.filterwarnings("ignore", "__array__ implementation", DeprecationWarning)
        network.save(folder / "model.keras")
    (folder / "labels.txt").write_text("".join(f"{label}\n" for label in LABELS))
    write_photos(folder)
    return folder


def write_photos(folder):
    """Nine PNG files of each part, and the list of them that a training writes."""
    random = np.random.default_rng(9)
    rows = []
    for part in ("train", "validation"):
        (folder / "photos" / part).mkdir(parents=True)
        for number in range(9):
            coarse = random.uniform(0, 255, (5, 5, 3))
            pixels = tf.cast(tf.image.resize(coarse, (40, 48)), tf.uint8)
            path = f"photos/{part}/{number}.png"
            (folder / path).write_bytes(tf.io.encode_png(pixels).numpy())
            rows.append({"part": part, "label": number % len(LABELS), "path": path})
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (folder / "photos.jsonl").write_text(lines)


@pytest.fixture(scope="session")
def export_config(run_dir, tmp_path_factory):
    return ExportConfig(
        run_dir=run_dir,
        models_dir=tmp_path_factory.mktemp("published") / "models",
        model_name="small",
        warmup_signatures=tuple(expected_signatures(len(LABELS), SIZE)),
        warmup_batch_sizes=(1, 2),
        fuzz_requests=300,
    )


@pytest.fixture(scope="session")
def first_export(export_config):
    """What one export of all forms gave; its models stay for the session."""
    return export_run(export_config, Narrator())


@pytest.fixture(scope="session")
def version_folder(first_export):
    return Path(first_export.published[0])


class Server:
    """Our server on free ports of 127.0.0.1, in a process of its own."""

    def __init__(self, *flags):
        with (
            socket.create_server(("127.0.0.1", 0)) as rest,
            socket.create_server(("127.0.0.1", 0)) as grpc,
        ):
            port, self.grpc_port = rest.getsockname()[1], grpc.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        ports = (f"--port={self.grpc_port}", f"--rest_api_port={port}")
        command = [sys.executable, "-m", "serving", *ports, *flags]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)

    def ask(self, path, body=None):
        """Status and text of an answer."""
        data = body and json.dumps(body).encode()
        try:
            with urllib.request.urlopen(f"{self.address}{path}", data, timeout=30) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def wait_until(self, is_so):
        """Until what is asked of the server is so, for a minute."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                if is_so():
                    return
            except OSError:
                assert self.process.poll() is None, "the server ended"
            time.sleep(0.1)
        pytest.fail("the server is not so after 60 s")


@pytest.fixture
def serve():
    """Starts servers, by their flags, that end with the test."""
    started = []

    def start(*flags):
        started.append(Server(*flags))
        started[-1].wait_until(lambda: started[-1].ask("/readyz")[0] == 200)
        return started[-1]

    yield start
    for server in started:
        server.process.terminate()
        server.process.wait(timeout=40)
