"""What a fetched tensor leads back to."""

import pytest
import tensorflow as tf

from export.preflight.reach import reach_of

v1 = tf.compat.v1


@pytest.fixture
def graph_def():
    """`sum` adds what a function makes of `left` (with a function in it) to `right`."""

    @tf.function
    def inner(x):
        return tf.math.erf(x)

    @tf.function
    def outer(x):
        return inner(x) + 1.0

    with tf.Graph().as_default() as graph:
        left, right = (
            v1.placeholder(tf.float32, [], "left"),
            v1.placeholder(tf.float32, [], "right"),
        )
        guard = tf.debugging.Assert(right > 0, [right])
        with tf.control_dependencies([guard]):
            tf.add(outer(tf.negative(left)), tf.exp(right), name="sum")
        tf.sin(left, name="aside")
    return graph.as_graph_def()


def test_both_inputs_control_inputs_and_called_functions_are_reached(graph_def):
    ops = reach_of(graph_def, ["sum:0"]).ops()
    assert {"AddV2", "Neg", "Exp", "Greater", "Assert", "Erf"} <= ops
    assert "Sin" not in ops


def test_only_what_is_fetched_counts(graph_def):
    reach = reach_of(graph_def, ["aside"])
    assert reach.ops() == {"Sin", "Placeholder"}
    assert reach.functions == ()
