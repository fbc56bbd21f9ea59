from dataclasses import replace

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.framework import graph_pb2

from graphmode.errors import GraphmodeError
from graphmode.graph.facts import UNPLACED
from graphmode.graph.function_graph import graph_facts


@pytest.fixture(scope="module")
def facts(subject):
    return graph_facts(subject("convolved"))


def test_the_graph_that_runs_is_not_the_one_that_was_traced(facts):
    assert facts.before.ops["Conv2D"] == 1
    assert "Conv2D" not in facts.after.ops
    assert facts.before.ops["Exp"] == 1
    assert "Exp" not in facts.after.ops


def test_a_fused_convolution_says_what_it_fused(facts):
    assert facts.before.fused == ()
    (fused,) = facts.after.fused
    assert "FusedConv2D" in fused.op
    assert fused.fused_ops == ("BiasAdd", "Relu")
    assert (fused.dtype, fused.count) == ("float32", 1)


def test_the_functions_of_control_flow_are_counted_in(facts):
    assert facts.before.control_flow == {"StatelessIf": 1, "StatelessWhile": 1}
    assert facts.before.casts["bfloat16 -> float32"] == 1  # in a branch
    assert {"Switch", "Merge", "LoopCond"} <= set(facts.after.control_flow)


def test_variables_are_named_and_their_reads_and_writes_counted(facts):
    assert [(variable.name, variable.shape) for variable in facts.variables] == [
        ("kernel:0", (3, 3, 3, 8)),
        ("bias:0", (8,)),
    ]
    assert sum(variable.bytes for variable in facts.variables) == 4 * (3 * 3 * 3 * 8 + 8)
    assert facts.after.variable_reads == 2
    assert facts.after.variable_writes == 1


def test_an_optimizers_kernel_counts_as_a_write(facts):
    ops = {"ResourceApplyAdam": 2, "AssignAddVariableOp": 1, "ReadVariableOp": 4, "Add": 1}
    stage = replace(facts.before, ops=ops)
    assert (stage.variable_writes, stage.variable_reads) == (3, 4)


def test_an_array_that_is_closed_over_shows_as_a_constant(facts):
    largest = facts.after.constants[0]
    assert (largest.shape, largest.dtype, largest.bytes) == ((1000,), "float32", 4000)
    assert facts.after.constant_bytes >= 4000


def test_nodes_are_placed_only_in_the_graph_that_runs(facts):
    assert list(facts.before.devices) == [UNPLACED]
    assert sum(facts.after.devices["CPU:0"].values()) == facts.after.size
    assert sum(facts.after.ops.values()) == facts.after.size


def test_a_function_that_has_already_run_tells_the_same(subject, facts):
    again = graph_facts(subject("already_run"))
    assert again.after.ops == facts.after.ops
    assert again.before.ops == facts.before.ops


def test_the_inputs_are_made_from_the_signature_or_taken(subject, facts):
    assert facts.inputs == {"image": "[1, 8, 8, 3]:float32"}
    given = graph_facts(subject("convolved"), [tf.ones([4, 8, 8, 3])])
    assert given.inputs == {"image": "[4, 8, 8, 3]:float32"}
    specs = [tf.TensorSpec([None, 2]), tf.TensorSpec([2])]
    assert graph_facts(subject("added"), specs).inputs == {
        "a": "[1, 2]:float32",
        "b": "[2]:float32",
    }


def test_a_method_is_run_with_its_instance(subject):
    facts = graph_facts(subject("classifier.classify"))
    assert facts.after.fused[0].fused_ops == ("BiasAdd", "Relu")


def test_what_xla_compiles_is_said_to_be_shown_as_traced(subject):
    facts = graph_facts(subject("compiled"), [tf.TensorSpec([4])])
    assert facts.notes == ("XLA compiles a part of it: that part is shown as it was traced",)
    assert facts.after.ops["Tanh"] == 1
    assert facts.after.devices[UNPLACED]["Tanh"] == 1


def test_a_run_that_fails_still_tells_its_graph_and_not_the_next_ones(subject):
    failed = graph_facts(subject("decoded"))
    assert failed.notes == ("the run ended with InvalidArgumentError: Input is empty.",)
    assert failed.after.ops["DecodePng"] == 1
    following = graph_facts(subject("added"), [tf.ones(2), tf.ones(2)])
    assert following.notes == ()
    assert "DecodePng" not in following.after.ops


def test_an_input_can_come_from_a_file(subject, photo, tmp_path):
    assert graph_facts(subject("decoded"), files={"photo": photo}).notes == ()
    array = tmp_path / "images.npy"
    np.save(array, np.ones([3, 8, 8, 3], np.float32))
    facts = graph_facts(subject("convolved"), files={"image": array})
    assert facts.inputs == {"image": "[3, 8, 8, 3]:float32"}


def test_the_optimised_graph_can_be_read_again(facts):
    graph = graph_pb2.GraphDef.FromString(facts.optimised)
    assert len(graph.node) == facts.after.size


@pytest.mark.parametrize(
    ("name", "inputs", "said"),
    [
        ("added", [], "added has no input_signature: say for which inputs"),
        ("untraceable", [tf.TensorSpec([None])], "untraceable cannot be traced"),
        ("TABLE", [], "expected a tf.function, got a ndarray"),
        ("compiled", [tf.TensorSpec(None)], "input x: its shape is not known"),
    ],
)
def test_what_cannot_be_run_says_what_to_do(subject, name, inputs, said):
    with pytest.raises(GraphmodeError, match=said):
        graph_facts(subject(name), inputs)


def test_an_array_of_another_shape_is_refused(subject, tmp_path):
    array = tmp_path / "images.npy"
    np.save(array, np.ones([8, 8]))
    with pytest.raises(GraphmodeError, match=r"expected shape \(None, 8, 8, 3\), its array has"):
        graph_facts(subject("convolved"), files={"image": array})
