import json
from types import SimpleNamespace

import pytest
import tensorflow as tf
from tensorflow_serving.apis import prediction_log_pb2

from export.preflight.command import main

v1 = tf.compat.v1


@pytest.fixture
def check(capsys):
    """Runs `python -m export check` in this process; without a fuzz unless flags ask for one.

    Gives the exit status, verdict and words by check, and stderr.
    """

    def run(folder, *flags):
        if not any(flag.startswith("--fuzz_requests") for flag in flags):
            flags = (*flags, "--fuzz_requests=0")
        status = main([str(folder), "--json", *flags])
        printed = capsys.readouterr()
        report = json.loads(printed.out) if status < 2 else {"findings": [], "failing": []}
        return SimpleNamespace(
            status=status,
            report=report,
            failing=report["failing"],
            warnings=[each["name"] for each in report["findings"] if each["verdict"] == "warning"],
            verdicts={each["name"]: each["verdict"] for each in report["findings"]},
            said={each["name"]: f"{each['found']} {each['advice']}" for each in report["findings"]},
            stderr=printed.err,
        )

    return run


@pytest.fixture
def save(tmp_path):
    """Saves a tf.Module with signatures: functions and the specs of their inputs, by name."""

    def write(name="model", module=None, options=None, **signatures):
        folder = tmp_path / name / "1"
        module = module or tf.Module()
        functions = {
            key: tf.function(function, input_signature=specs)
            for key, (function, *specs) in signatures.items()
        }
        tf.saved_model.save(module, str(folder), signatures=functions, options=options)
        return folder

    return write


@pytest.fixture
def keras_network():
    """A classifier of Keras, of a few hundred weights."""
    import keras  # noqa: PLC0415 - only some tests need it

    keras.utils.set_random_seed(3)
    return keras.Sequential(
        [
            keras.Input((8,), name="x"),
            keras.layers.Dense(16, activation="relu"),
            keras.layers.Dense(3),
        ]
    )


@pytest.fixture
def warm_up():
    """Writes warm-up records (bytes, or requests by signature) into a version."""

    def write(folder, *records):
        extra = folder / "assets.extra"
        extra.mkdir(exist_ok=True)
        with tf.io.TFRecordWriter(str(extra / "tf_serving_warmup_requests")) as file:
            for record in records:
                file.write(record if isinstance(record, bytes) else _log(*record))

    return write


def _log(signature, values):
    log = prediction_log_pb2.PredictionLog()
    request = log.predict_log.request
    request.model_spec.signature_name = signature
    for alias, value in values.items():
        request.inputs[alias].CopyFrom(tf.make_tensor_proto(value))
    return log.SerializeToString()
