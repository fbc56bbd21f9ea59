import shutil
import struct

import numpy as np
import pytest

from serving.messages import prediction_log_pb2
from serving.runtime.tensor_protos import to_proto


def record(array, signature_name="serving_default"):
    log = prediction_log_pb2.PredictionLog()
    request = log.predict_log.request
    request.model_spec.signature_name = signature_name
    request.inputs["x"].CopyFrom(to_proto(array))
    data = log.SerializeToString()
    return struct.pack("<QI", len(data), 0) + data + struct.pack("<I", 0)


@pytest.fixture
def base_path(models, tmp_path):
    shutil.copytree(models / "scale" / "1", tmp_path / "scale" / "1")
    (tmp_path / "scale" / "1" / "assets.extra").mkdir(exist_ok=True)
    return tmp_path / "scale"


def requests_file(base_path):
    return base_path / "1" / "assets.extra" / "tf_serving_warmup_requests"


def runs(server):
    page = server.ask("/monitoring/prometheus/metrics")[1]
    counts = [line for line in page.splitlines() if "runtime_latency_count" in line]
    return [int(line.rpartition(" ")[2]) for line in counts]


def flags(base_path, *more):
    return ["--model_name=scale", f"--model_base_path={base_path}", *more]


def test_the_recorded_requests_are_answered_before_anyone_elses(start, base_path):
    two = np.array([1, 2], np.float32)
    requests_file(base_path).write_bytes(record(two) + record(two[:1]))
    assert runs(start(*flags(base_path)).wait_until_ready()) == [2]


def test_warm_up_can_be_switched_off(start, base_path):
    requests_file(base_path).write_bytes(record(np.array([1], np.float32)))
    assert runs(start(*flags(base_path, "--noenable_model_warmup")).wait_until_ready()) == []


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (record(np.ones((1, 1), np.float32)), "has shape [1, 1]"),
        (record(np.ones(1, np.float32), "nope"), 'no signature "nope"'),
        (record(np.ones(1, np.float32))[:-8], "is cut"),
        (struct.pack("<QI", 1 << 60, 0), "is cut"),
        (struct.pack("<QI", 3, 0) + b"\xff\xff\xff" + bytes(4), "does not parse"),
    ],
    ids=["a wrong shape", "no such signature", "cut", "a huge length", "no message"],
)
def test_a_version_whose_warm_up_fails_never_serves(start, base_path, content, reason):
    requests_file(base_path).write_bytes(content)
    server = start(*flags(base_path))
    server.wait_until(lambda: server.states("scale") == {1: "END"}, "the version being refused")
    status = server.ask("/v1/models/scale")[1]["model_version_status"][0]["status"]
    assert reason in status["error_message"]
    assert server.ask("/readyz")[0] == 503


def test_a_record_of_more_rows_than_a_batch_may_have_is_left_out(start, base_path):
    requests_file(base_path).write_bytes(record(np.ones(8, np.float32)))
    batching = base_path.parent / "batching.txt"
    batching.write_text("max_batch_size { value: 4 }")
    server = start(
        *flags(base_path, "--enable_batching", f"--batching_parameters_file={batching}")
    ).wait_until_ready()
    assert runs(server) == []
