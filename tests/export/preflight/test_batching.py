"""A batching parameters file beside a model."""

import pytest
import tensorflow as tf
from tensorflow.core.protobuf.meta_graph_pb2 import SignatureDef, TensorInfo

from export.errors import ExportError
from export.preflight.batching_checks import check_batching
from export.preflight.batching_file import read_batching
from export.preflight.trial import Answer, Trial

GOOD = """
max_batch_size { value: 8 }
batch_timeout_micros { value: 1000 }
max_enqueued_batches { value: 100 }
num_batch_threads { value: 2 }
thread_pool_name { value: "pool" }
allowed_batch_sizes: 4
allowed_batch_sizes: 8
pad_variable_length_inputs: false
"""


@pytest.fixture
def file(tmp_path):
    """Writes the file."""

    def write(text):
        path = tmp_path / "batching.config"
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (GOOD, []),
        ("", []),
        ("max_batch_size { value: 0 }", ["max_batch_size is 0, expected at least 1"]),
        (
            "batch_timeout_micros { value: -1 }",
            ["batch_timeout_micros is -1, expected at least 0"],
        ),
        (
            "allowed_batch_sizes: 4",
            ["the last of allowed_batch_sizes is 4, max_batch_size is 1000"],
        ),
        (
            "max_batch_size { value: 2 } allowed_batch_sizes: 4 allowed_batch_sizes: 2",
            ["allowed_batch_sizes [4, 2] are not positive and increasing"],
        ),
        (
            """max_batch_size { value: 9 } enable_large_batch_splitting { value: true }
            max_execution_batch_size { value: 4 } allowed_batch_sizes: 4""",
            [],
        ),
    ],
)
def test_what_a_server_does_not_take_is_said(file, text, wrong):
    assert read_batching(file(text))[1] == wrong


@pytest.mark.parametrize("text", ["max_batch_size: 8", "garbage", "max_batch { value: 1 }"])
def test_a_file_that_does_not_parse_is_an_error(file, text):
    with pytest.raises(ExportError, match="does not parse as BatchingParameters"):
        read_batching(file(text))


def signature(inputs, outputs):
    """A SignatureDef; shapes by alias, None for any rank."""
    definition = SignatureDef()
    for side, shapes in ((definition.inputs, inputs), (definition.outputs, outputs)):
        for alias, shape in shapes.items():
            info = TensorInfo(name=f"{alias}:0", tensor_shape=tf.TensorShape(shape).as_proto())
            side[alias].CopyFrom(info)
    return definition


@pytest.fixture
def shapes(file):
    """The finding about a signature beside a file."""

    def run(inputs, outputs, text=GOOD, answers=None):
        trial = Trial(unloadable="", answers=answers or {})
        found = check_batching(file(text), {"net": signature(inputs, outputs)}, trial)
        assert [each.name for each in found] == ["batching parameters", "batching and shapes"]
        return found[1]

    return run


def test_open_rows_go_together_with_any_batching(shapes):
    assert shapes({"x": [None, 2]}, {"y": [None]}).verdict == "ok"


def test_a_fixed_batch_dimension_contradicts_batches_of_other_sizes(shapes):
    finding = shapes({"x": [4, 2]}, {"y": [4]})
    assert finding.verdict == "FAILS"
    assert "net.x takes 4 rows and no other number, batches have one of [4, 8]" in finding.found
    only_four = "max_batch_size { value: 4 } allowed_batch_sizes: 4"
    assert shapes({"x": [4, 2]}, {"y": [4]}, only_four).verdict == "ok"
    one_by_one = "max_batch_size { value: 1 }"
    assert shapes({"x": [1, 2]}, {"y": [1]}, one_by_one).verdict == "ok"


def test_scalars_and_outputs_of_fixed_rows_cannot_be_batched(shapes):
    finding = shapes({"x": [None], "limit": []}, {"sum": [], "three": [3, 1]})
    assert finding.verdict == "FAILS"
    for why in ("net.limit has no batch", "net.sum has no batch", "net.three has 3 rows"):
        assert why in finding.found


def answered(shape):
    outputs = {"y": {"shape": shape, "binary": False}}
    return {"net": Answer(error="", message="", rows=2, outputs=outputs)}


def test_an_output_of_unknown_shape_is_judged_by_what_came(shapes):
    inputs, outputs = {"x": [None]}, {"y": None}
    assert shapes(inputs, outputs, answers=answered([2, 7])).verdict == "ok"
    for shape in ([], [7]):
        assert shapes(inputs, outputs, answers=answered(shape)).verdict == "FAILS"


def test_an_input_of_any_rank_is_a_warning(shapes):
    assert shapes({"x": None}, {"y": [None]}).verdict == "warning"


def test_a_fixed_batch_dimension_fails_by_that_alone(check, save, file):
    spec = tf.TensorSpec([4, 2], tf.float32, name="x")
    model = save(serving_default=(lambda x: {"y": x * 2}, spec))
    result = check(model, f"--batching={file(GOOD)}")
    assert (result.status, result.failing) == (1, ["batching and shapes"])


@pytest.mark.parametrize("text", ["allowed_batch_sizes: 4", "garbage"])
def test_a_wrong_file_fails(file, text):
    assert check_batching(file(text), {}, Trial(unloadable=""))[0].verdict == "FAILS"
