import json

import numpy as np
import pytest
import tensorflow as tf
from tensorflow_serving.apis import prediction_log_pb2

from export.show.command import main


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """A model's folder with an empty version 2 and, as version 10, a SavedModel with everything."""
    folder = tmp_path_factory.mktemp("models") / "small" / "10"
    module = tf.Module()
    module.kernel = tf.Variable(np.ones([3, 3, 3, 4], np.float32))
    module.bias = tf.Variable(tf.zeros([4], tf.bfloat16))

    @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 3], tf.float32, name="image")])
    def scores(image):
        """One trace for any batch size."""
        features = tf.nn.conv2d(image, module.kernel, strides=1, padding="SAME")
        biased = tf.nn.bias_add(features, tf.cast(module.bias, tf.float32))
        return {"scores": tf.reduce_mean(tf.nn.relu(biased), axis=[1, 2])}

    @tf.function(input_signature=[tf.TensorSpec([], tf.string, name="text")])
    def number(text):
        """One trace: a scalar."""
        return {"number": tf.strings.to_number(text)}

    signatures = {"serving_default": scores, "number": number}
    tf.saved_model.save(module, str(folder), signatures=signatures)
    extra = folder / "assets.extra"
    extra.mkdir()
    (extra / "labels.txt").write_text("cat\ndog\n")
    with tf.io.TFRecordWriter(str(extra / "tf_serving_warmup_requests")) as file:
        for log in (image_log(1), image_log(8), image_log(8), example_log(3)):
            file.write(log.SerializeToString())
    gate = {"name": "agreement", "passed": True, "detail": "got 1e-07", "figure": 1e-7}
    record = {"precision": "fp32", "source_run": "runs/small", "gates": [gate]}
    (folder / "export.json").write_text(json.dumps(record))
    (folder.parent / "2").mkdir()
    return folder.parent


def image_log(rows):
    log = prediction_log_pb2.PredictionLog()
    request = log.predict_log.request
    request.model_spec.signature_name = "serving_default"
    request.inputs["image"].CopyFrom(tf.make_tensor_proto(np.ones([rows, 8, 8, 3], np.float32)))
    return log


def example_log(rows):
    log = prediction_log_pb2.PredictionLog()
    request = log.classify_log.request
    request.model_spec.signature_name = "classify"
    request.input.example_list.examples.extend([tf.train.Example()] * rows)
    return log


@pytest.fixture
def show(capsys):
    """Runs `python -m export show` in this process: exit status, its JSON or text, stderr."""

    def run(folder, *flags):
        status = main([str(folder), *flags])
        printed = capsys.readouterr()
        report = json.loads(printed.out) if "--json" in flags and status == 0 else printed.out
        return status, report, printed.err

    return run
