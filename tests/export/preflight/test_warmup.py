"""Warm-up requests, which a server answers before it takes a version into use."""

from dataclasses import replace

import numpy as np
import pytest
import tensorflow as tf
from tensorflow_serving.apis import prediction_log_pb2

from export.preflight.trial import Trial, run_trial
from export.preflight.warmup_checks import check_warmup

ROW = np.ones([1, 2], np.float32)


def serialized(kind):
    """A PredictionLog with an empty request of this kind."""
    log = prediction_log_pb2.PredictionLog()
    getattr(log, kind).SetInParent()
    return log.SerializeToString()


PREDICT, SESSION = serialized("predict_log"), serialized("session_run_log")


@pytest.fixture
def model(save):
    """Wants exactly two columns."""
    spec = tf.TensorSpec([None, 2], tf.float32, name="x")
    return save(serving_default=(lambda x: {"y": tf.ensure_shape(x, [None, 2])}, spec))


def test_a_request_that_is_refused_fails_the_load(check, model, warm_up):
    warm_up(
        model,
        ("serving_default", {"x": ROW}),
        ("serving_default", {"x": np.ones([1, 3], np.float32)}),
    )
    result = check(model)
    assert result.failing == ["warm-up"]
    assert result.said["warm-up"].startswith("Record 1 fails (InvalidArgumentError")
    assert "does not load" in result.said["warm-up"]


def test_every_request_is_replayed_as_it_is(model, warm_up):
    warm_up(
        model,
        ("serving_default", {"image": ROW}),
        ("serving_default", {"x": ROW.astype(np.float64)}),
        ("", {"x": ROW}),
    )
    trial = run_trial(model, left_out=())
    (_, alias), (_, dtype), (_, good) = trial.warmup
    assert alias.message == "expected inputs ['x'], got ['image']"
    assert dtype.error == "InvalidArgumentError"
    assert good.error == ""
    warm_up(model, ("", {"x": ROW}))
    found = check_warmup(model, ["serving_default"], replace(trial, warmup=trial.warmup[2:]))
    assert (found.verdict, found.found) == ("ok", "1 warm-up requests are answered.")


@pytest.mark.parametrize(
    ("records", "why"),
    [
        ([PREDICT] * 1001, "more than 1000 records"),
        ([PREDICT, b"not a proto"], "record 1 is not a PredictionLog"),
        ([SESSION], "record 0 is not a PredictionLog with a request"),
        ([b""], "record 0 is not a PredictionLog with a request"),
        ([("classify", {"x": ROW})], "asks signature 'classify': none such"),
    ],
    ids=["too many", "no proto", "another log", "empty", "no such signature"],
)
def test_records_that_tensorflow_serving_does_not_take_fail(tmp_path, warm_up, records, why):
    warm_up(tmp_path, *records)
    finding = check_warmup(tmp_path, ["serving_default"], Trial(unloadable=""))
    assert finding.verdict == "FAILS"
    assert why in finding.found


def test_a_cut_file_fails(tmp_path, warm_up):
    warm_up(tmp_path, PREDICT)
    file = tmp_path / "assets.extra" / "tf_serving_warmup_requests"
    file.write_bytes(file.read_bytes()[:-3])
    finding = check_warmup(tmp_path, ["serving_default"], Trial(unloadable=""))
    assert finding.verdict == "FAILS"
    assert "cut or damaged" in finding.found
