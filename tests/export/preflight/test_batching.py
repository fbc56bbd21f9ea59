"""A batching parameters file beside a model."""

import pytest
import tensorflow as tf

from export.errors import ExportError
from export.preflight.batching_file import read_batching

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


def floats(*shape, name="x"):
    return tf.TensorSpec(shape, tf.float32, name=name)


def test_a_fixed_batch_dimension_contradicts_batches_of_other_sizes(check, save, file):
    model = save(serving_default=(lambda x: {"y": x * 2}, floats(4, 2)))
    result = check(model, f"--batching={file(GOOD)}")
    assert result.status == 1
    assert result.failing == ["batching and shapes"]
    assert (
        "serving_default.x takes 4 rows and no other number, batches have one of [4, 8]"
        in result.said["batching and shapes"]
    )
    only_four = file("max_batch_size { value: 4 } allowed_batch_sizes: 4")
    assert check(model, f"--batching={only_four}").failing == []


def test_scalars_and_outputs_without_rows_cannot_be_batched(check, save, file):
    def scored(x, threshold):
        return {
            "above": tf.reduce_sum(x) > threshold,
            "three": tf.ones([3, 1]),
            "hidden": tf.raw_ops.PlaceholderWithDefault(input=tf.reduce_sum(x), shape=None),
        }

    model = save(serving_default=(scored, floats(None), floats(name="threshold")))
    result = check(model, f"--batching={file(GOOD)}")
    assert result.failing == ["batching and shapes"]
    for why in (
        "threshold has no batch",
        "above has no batch",
        "three has 3 rows",
        "hidden has no",
    ):
        assert f"serving_default.{why}" in result.said["batching and shapes"]


def test_an_input_of_any_rank_is_a_warning_and_open_rows_are_ok(check, save, file):
    def twice(x):
        return {"y": 2 * x}

    anything = save("anything", serving_default=(twice, tf.TensorSpec(None, tf.float32, name="x")))
    assert check(anything, f"--batching={file(GOOD)}").warnings == ["batching and shapes"]
    rows = check(save("rows", serving_default=(twice, floats(None, 2))), f"--batching={file(GOOD)}")
    assert (rows.failing, rows.warnings) == ([], [])
    assert rows.verdicts["batching and shapes"] == "ok"


def test_a_wrong_file_fails_beside_a_model_in_order(check, save, file):
    model = save(serving_default=(lambda x: {"y": 2 * x}, floats(None)))
    assert check(model, f"--batching={file('allowed_batch_sizes: 4')}").failing == [
        "batching parameters"
    ]
    result = check(model, f"--batching={file('garbage')}")
    assert result.failing == ["batching parameters"]
    assert result.verdicts["batching and shapes"] == "not applicable"
