"""Warm-up requests, which a server answers before it takes a version into use."""

import numpy as np
import pytest
import tensorflow as tf
from tensorflow_serving.apis import prediction_log_pb2

ROW = np.ones([1, 2], np.float32)


@pytest.fixture
def model(save):
    """Wants exactly two columns."""
    spec = tf.TensorSpec([None, 2], tf.float32, name="x")
    return save(serving_default=(lambda x: {"y": tf.ensure_shape(x, [None, 2])}, spec))


def test_requests_that_are_answered_are_ok(check, model, warm_up):
    warm_up(model, ("serving_default", {"x": ROW}), ("", {"x": ROW}))
    result = check(model)
    assert result.status == 0
    assert result.said["warm-up"].startswith("2 warm-up requests are answered")


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (("serving_default", {"x": np.ones([1, 3], np.float32)}), "InvalidArgumentError"),
        (("serving_default", {"image": ROW}), "expected inputs ['x'], got ['image']"),
        (("serving_default", {"x": ROW.astype(np.float64)}), "InvalidArgumentError"),
    ],
    ids=["wrong shape", "wrong alias", "wrong dtype"],
)
def test_a_request_that_is_refused_fails_the_load(check, model, warm_up, request_, why):
    warm_up(model, ("serving_default", {"x": ROW}), request_)
    result = check(model)
    assert result.failing == ["warm-up"]
    assert result.said["warm-up"].startswith("Record 1 fails (")
    assert why in result.said["warm-up"]
    assert "does not load" in result.said["warm-up"]


def said_of(records, check, model, warm_up):
    warm_up(model, *records)
    result = check(model)
    assert result.failing == ["warm-up"]
    return result.said["warm-up"]


def test_files_that_tensorflow_serving_does_not_take_fail(check, model, warm_up):
    good = prediction_log_pb2.PredictionLog()
    good.predict_log.request.inputs["x"].CopyFrom(tf.make_tensor_proto(ROW))
    session = prediction_log_pb2.PredictionLog()
    session.session_run_log.request.feed.add(name="x:0")
    good, session = good.SerializeToString(), session.SerializeToString()
    for records, why in [
        ([good] * 1001, "more than 1000 records"),
        ([good, b"not a proto"], "record 1 is not a PredictionLog"),
        ([session], "record 0 is not a PredictionLog with a request"),
        ([("classify", {"x": ROW})], "asks signature 'classify': none such"),
    ]:
        assert why in said_of(records, check, model, warm_up)
    file = model / "assets.extra" / "tf_serving_warmup_requests"
    warm_up(model, good)
    file.write_bytes(file.read_bytes()[:-3])
    result = check(model)
    assert result.failing == ["warm-up"]
    assert "cut or damaged" in result.said["warm-up"]
