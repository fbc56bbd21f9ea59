"""Sabotage: the comparison is shown models that do not do what a guarded one must."""

import pytest
import tensorflow as tf

from export.errors import ExportError
from export.guard.input_guard import InputGuard
from export.guard.verification import compare


def claimed(signature, rank=1):
    """A guard that nobody has put in."""
    shape = (None,) * rank
    return InputGuard(
        tags=("serve",), signature=signature, alias="x", tensor=f"{signature}_x:0",
        dtype="float32", shape=shape, verdict="added", guard=shape, detail="",
    )  # fmt: skip


def saved(folder, **functions):
    module = tf.Module()
    spec = tf.TensorSpec([None], tf.float32, name="x")
    module.functions = {
        name: tf.function(function, input_signature=[spec]) for name, function in functions.items()
    }
    tf.saved_model.save(module, str(folder), signatures=module.functions)
    return folder


@pytest.fixture
def model(tmp_path):
    return saved(
        tmp_path / "model",
        double=lambda x: {"y": 2.0 * x},
        # The raw operation, which a seed that another test has set does not reach.
        chance=lambda x: {"y": x + tf.raw_ops.RandomUniform(shape=[1], dtype=tf.float32)},
        ignoring=lambda x: {"y": tf.ones([2])},  # noqa: ARG005 it ignores it
        failing=lambda x: {"y": tf.debugging.check_numerics(x / 0.0, "no finite number")},
    )


def test_what_cannot_be_compared_is_said(model):
    compared = compare(model, model, [claimed("ignoring")])
    said = {each.signature: (each.is_same, each.detail) for each in compared}
    assert said["double"] == (True, "")
    assert said["ignoring"] == (True, "")
    assert said["chance"] == (False, "the original's own answers differ from run to run")
    assert not said["failing"][0]
    assert "answers none of the samples" in said["failing"][1]
    assert "no finite number" in said["failing"][1]


def test_an_answer_that_changed_is_refused(tmp_path):
    other = saved(tmp_path / "other", double=lambda x: {"y": 2.0 * x + 1e-6})
    same = saved(tmp_path / "same", double=lambda x: {"y": 2.0 * x})
    with pytest.raises(ExportError, match="signature double no longer answers as before"):
        compare(same, other, [claimed("double")])


def test_a_guard_that_is_not_there_is_found(model):
    with pytest.raises(ExportError, match=r"expected InvalidArg.* for x of shape \[\], got {"):
        compare(model, model, [claimed("double")])


def test_a_guard_that_cannot_be_tried_is_no_guard(model):
    with pytest.raises(ExportError, match=r"no guard can be tried: .*nowhere_x"):
        compare(model, model, [claimed("nowhere")])


@pytest.mark.usefixtures("onednn")
def test_a_process_that_a_wrong_rank_ends_is_named(deadly_model):
    guard = InputGuard(
        tags=("serve",), signature="serving_default", alias="image",
        tensor="serving_default_image:0", dtype="float32", shape=None, verdict="added",
        guard=(None,) * 4, detail="",
    )  # fmt: skip
    during = r"ended during 'refusal serving_default image \[.* Check failed: "
    with pytest.raises(ExportError, match=during):
        compare(deadly_model, deadly_model, [guard])
