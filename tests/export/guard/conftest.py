import json

import pytest
import tensorflow as tf
from tensorflow_serving.apis import prediction_log_pb2

from export.guard.command import main

SHAPE = (32, 32, 3)


@pytest.fixture(scope="session")
def deadly_model(tmp_path_factory):
    """A version folder whose one signature hands its input to a convolution of oneDNN unlooked at.

    It has a warm-up request, a file in assets.extra and a fingerprint.
    """
    folder = tmp_path_factory.mktemp("models") / "deadly" / "1"
    module = tf.Module()
    module.kernel = tf.Variable(tf.random.stateless_uniform([3, 3, 3, 4], [1, 2]))

    @tf.function(input_signature=[tf.TensorSpec([None, *SHAPE], tf.float32, name="image")])
    def convolved(image):
        """One trace for any batch size."""
        convolution = tf.nn.conv2d(image, module.kernel, strides=1, padding="SAME")
        return {"scores": tf.reduce_mean(tf.nn.relu(convolution), axis=[1, 2])}

    tf.saved_model.save(module, str(folder), signatures={"serving_default": convolved})
    extra = folder / "assets.extra"
    extra.mkdir()
    (extra / "labels.txt").write_text("cat\ndog\n")
    log = prediction_log_pb2.PredictionLog()
    request = log.predict_log.request
    request.model_spec.signature_name = "serving_default"
    request.inputs["image"].CopyFrom(tf.make_tensor_proto(tf.ones([1, *SHAPE]).numpy()))
    with tf.io.TFRecordWriter(str(extra / "tf_serving_warmup_requests")) as file:
        file.write(log.SerializeToString())
    return folder


@pytest.fixture(scope="session")
def guarded_model(deadly_model, tmp_path_factory):
    """The same with its guard."""
    folder = tmp_path_factory.mktemp("guarded") / "1"
    assert main([str(deadly_model), str(folder)]) == 0
    return folder


@pytest.fixture
def onednn(monkeypatch):
    """The kernels that end a process, in the children of a test; not every processor has them."""
    monkeypatch.setenv("TF_ENABLE_ONEDNN_OPTS", "1")


@pytest.fixture
def guard(capsys):
    """Runs `python -m export guard` in this process: exit status, its JSON or text, stderr."""

    def run(source, target, *flags):
        status = main([str(source), str(target), *flags])
        printed = capsys.readouterr()
        report = json.loads(printed.out) if "--json" in flags and status == 0 else printed.out
        return status, report, printed.err

    return run
