"""Graphs of TF1, where any tensor may be an input and signatures may share one."""

import numpy as np
import pytest
import tensorflow as tf

from export.errors import ExportError
from export.guard.shape_guards import guard_inputs

v1 = tf.compat.v1


@pytest.fixture
def graph():
    """The graph that a test builds its model in."""
    built = tf.Graph()
    with built.as_default():
        yield built


def info(tensor, shape="its own"):
    found = v1.saved_model.build_tensor_info(tensor)
    if shape != "its own":
        found.tensor_shape.CopyFrom(tf.TensorShape(shape).as_proto())
    return found


def meta_graph(graph, **signatures):
    """A MetaGraph; a signature is (inputs, outputs), each TensorInfo by alias."""
    definitions = {
        name: v1.saved_model.build_signature_def(inputs, outputs, "predict")
        for name, (inputs, outputs) in signatures.items()
    }
    exported = v1.train.export_meta_graph(graph=graph, strip_default_attrs=True)
    exported.meta_info_def.tags.append("serve")
    for name, definition in definitions.items():
        exported.signature_def[name].CopyFrom(definition)
    return exported


def run(exported, fetch, **feeds):
    """Runs the MetaGraph's graph; feeds by the name of a node, of any shape, as a server does."""
    with tf.Graph().as_default(), v1.Session() as session:
        arrays = {f"{name}:0": np.asarray(value) for name, value in feeds.items()}
        opened = {name: v1.placeholder(tf.as_dtype(each.dtype)) for name, each in arrays.items()}
        v1.import_graph_def(exported.graph_def, name="", input_map=opened)
        return session.run(fetch, {opened[name]: value for name, value in arrays.items()})


def nodes(exported):
    return {node.name: node for node in exported.graph_def.node}


def only(guards):
    (guard,) = guards
    return guard


def test_every_reader_reads_the_guard(graph):
    x = v1.placeholder(tf.float32, None, name="x")
    tf.add(tf.identity(x, name="first"), x, name="sum")
    exported = meta_graph(graph, serve=({"x": info(x, [None, 3])}, {}))
    signatures = exported.signature_def["serve"].SerializeToString(deterministic=True)
    guard = only(guard_inputs(exported))
    assert (guard.verdict, guard.guard, guard.tensor) == ("added", (None, 3), "x:0")
    assert nodes(exported)["first"].input == ["x_shape_guard"]
    assert nodes(exported)["sum"].input == ["first", "x_shape_guard"]
    assert exported.signature_def["serve"].SerializeToString(deterministic=True) == signatures
    assert run(exported, "sum:0", x=np.ones([2, 3], np.float32)).tolist() == [[2.0] * 3] * 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not compatible with expected"):
        run(exported, "sum:0", x=np.ones(3, np.float32))


def test_control_inputs_and_colocation_still_name_the_input(graph):
    x = v1.placeholder(tf.float32, [None], name="x")
    with graph.control_dependencies([x]):
        tf.constant(1.0, name="after")
    with graph.colocate_with(x.op):
        tf.identity(x, name="beside")
    exported = meta_graph(graph, serve=({"x": info(x)}, {}))
    guard_inputs(exported)
    assert nodes(exported)["after"].input == ["^x"]
    assert nodes(exported)["beside"].input == ["x_shape_guard"]
    assert nodes(exported)["beside"].attr["_class"].list.s == [b"loc:@x"]
    assert run(exported, "beside:0", x=np.float32([1])).tolist() == [1.0]


def test_a_guarded_graph_gets_no_second_guard(graph):
    x = v1.placeholder(tf.float32, [None, 3], name="x")
    tf.identity(x, name="reader")
    exported = meta_graph(graph, serve=({"x": info(x)}, {}))
    guard_inputs(exported)
    before = exported.SerializeToString(deterministic=True)
    guard = only(guard_inputs(exported))
    assert (guard.verdict, guard.guard) == ("present", (None, 3))
    assert exported.SerializeToString(deterministic=True) == before


def test_a_guard_that_lets_more_through_is_not_enough(graph):
    x = v1.placeholder(tf.float32, None, name="x")
    tf.ensure_shape(x, [None, None], name="reader")
    exported = meta_graph(graph, serve=({"x": info(x, [None, 3])}, {}))
    assert only(guard_inputs(exported)).verdict == "added"


def called(function, graph):
    """A MetaGraph whose one signature calls `function`, inside another function."""
    inner = tf.function(function, autograph=False)
    outer = tf.function(lambda x: inner(x))  # noqa: PLW0108 a call is the point
    x = v1.placeholder(tf.float32, [None, 3], name="x")
    y = outer.get_concrete_function(tf.TensorSpec([None, 3]))(x)
    return meta_graph(graph, serve=({"x": info(x)}, {"y": info(y)}))


def test_a_function_that_opens_with_a_guard_is_guarded(graph):
    exported = called(lambda x: 2 * tf.ensure_shape(x, [None, 3]), graph)
    assert only(guard_inputs(exported)).verdict == "present"


@pytest.mark.parametrize(
    "function",
    [lambda x: x + tf.ensure_shape(x, [None, 3]), lambda x: [x, tf.ensure_shape(x, [None, 3])][0]],
    ids=["reads it besides", "returns it"],
)
def test_a_function_with_a_way_past_its_guard_is_not(graph, function):
    assert only(guard_inputs(called(function, graph))).verdict == "added"


def test_signatures_that_share_an_input_get_the_loosest_guard(graph):
    x = v1.placeholder(tf.float32, None, name="x")
    y = info(tf.identity(x, name="y"))
    exported = meta_graph(
        graph,
        one=({"x": info(x, [1, 3])}, {"y": y}),
        two=({"wide": info(x, [None, 3])}, {"y": y}),
        three=({"x": info(x, [2, None])}, {"y": y}),
    )
    guards = {guard.signature: guard for guard in guard_inputs(exported)}
    assert {guard.guard for guard in guards.values()} == {(None, None)}
    assert guards["one"].shape == (1, 3)
    assert guards["one"].detail == "looser than declared: the tensor has other uses"
    assert run(exported, "y:0", x=np.ones([5, 4], np.float32)).shape == (5, 4)


def test_signatures_that_share_an_input_in_two_ranks_are_left(graph):
    x = v1.placeholder(tf.float32, None, name="x")
    y = info(tf.identity(x))
    exported = meta_graph(
        graph, one=({"x": info(x, [3])}, {"y": y}), two=({"x": info(x, [None, 3])}, {"y": y})
    )
    guard = guard_inputs(exported)[0]
    assert guard.verdict == "left"
    assert guard.detail.endswith("with different ranks: one as [3], two as [?,3]")


def computed(graph, parsed_shape):
    """`parsed` is what `encoded` gives, and an input by itself, there declared as [?,2]."""
    encoded = v1.placeholder(tf.string, [None], name="encoded")
    floats = tf.io.decode_raw(encoded, tf.float32)
    parsed = v1.placeholder_with_default(floats, parsed_shape, name="parsed")
    y = info(tf.multiply(parsed, 2.0, name="y"))
    return meta_graph(
        graph,
        from_bytes=({"encoded": info(encoded)}, {"y": y}),
        from_numbers=({"x": info(parsed, [None, 2])}, {"y": y}),
    )


def test_an_input_that_is_computed_for_another_signature_is_guarded(graph):
    exported = computed(graph, [None, 2])
    verdicts = [(guard.alias, guard.verdict, guard.guard) for guard in guard_inputs(exported)]
    assert verdicts == [("encoded", "added", (None,)), ("x", "added", (None, 2))]
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(exported, "y:0", encoded=np.array([[b"12345678"]]))


def test_a_guard_lets_through_what_another_signature_computes(graph):
    exported = computed(graph, [None, None])
    assert guard_inputs(exported)[1].guard == (None, None)
    text = np.ones(3, np.float32).tobytes()
    assert run(exported, "y:0", encoded=[text]).tolist() == [[2.0, 2.0, 2.0]]


def test_a_computed_input_of_any_rank_is_left(graph):
    guard = guard_inputs(computed(graph, None))[1]
    assert guard.verdict == "left"
    assert "computes parsed:0 where it is not fed, with any rank" in guard.detail


def test_a_default_that_the_signature_excludes_still_passes(graph):
    x = v1.placeholder_with_default(np.zeros([2, 2], np.float32), None, name="x")
    y = info(tf.identity(x, name="y"))
    exported = meta_graph(graph, given=({"x": info(x, [1, 2])}, {"y": y}), default=({}, {"y": y}))
    assert only(guard_inputs(exported)).verdict == "left"
    assert run(exported, "y:0").shape == (2, 2)


def test_another_output_of_a_node_is_guarded_alone(graph):
    pair = v1.placeholder(tf.float32, [4], name="pair")
    first, second = tf.split(pair, 2, name="split")
    tf.add(first, second, name="sum")
    exported = meta_graph(graph, serve=({"half": info(second)}, {}))
    guard = only(guard_inputs(exported))
    assert (guard.tensor, guard.verdict) == ("split:1", "added")
    assert nodes(exported)["sum"].input == ["split", "split_1_shape_guard"]


def test_a_name_that_is_taken_is_left_alone(graph):
    x = v1.placeholder(tf.float32, [None], name="x")
    tf.identity(x, name="x_shape_guard")
    exported = meta_graph(graph, serve=({"x": info(x)}, {}))
    guard_inputs(exported)
    assert nodes(exported)["x_shape_guard"].input == ["x_shape_guard_1"]


def left(exported):
    guard = only(guard_inputs(exported))
    assert (guard.verdict, guard.guard) == ("left", None)
    return guard.detail


def test_an_input_of_unknown_rank_is_left(graph):
    x = v1.placeholder(tf.float32, None, name="x")
    tf.identity(x)
    assert left(meta_graph(graph, serve=({"x": info(x)}, {}))) == "its signature declares no rank"


def test_a_shape_that_nobody_wrote_is_no_scalar(graph):
    x = v1.placeholder(tf.float32, None, name="x")
    tf.identity(x)
    bare = info(x)
    bare.ClearField("tensor_shape")
    assert left(meta_graph(graph, serve=({"x": bare}, {}))) == "its signature declares no rank"


def test_an_input_that_is_only_an_output_is_left(graph):
    x = v1.placeholder(tf.float32, [None], name="x")
    exported = meta_graph(graph, serve=({"x": info(x)}, {"y": info(x)}))
    assert left(exported) == "nothing in the graph reads it"


def test_an_input_that_the_graph_does_not_have_is_left(graph):
    x = v1.placeholder(tf.float32, [None], name="x")
    lost = info(x)
    lost.name = "lost:0"
    assert left(meta_graph(graph, serve=({"x": lost}, {}))) == "the graph has no tensor lost:0"


def test_a_sparse_input_is_left(graph):
    x = v1.sparse_placeholder(tf.float32, [None, 3], name="x")
    assert "sparse or composite" in left(meta_graph(graph, serve=({"x": info(x)}, {})))


def test_a_handle_is_left(graph):
    x = v1.placeholder(tf.resource, [], name="x")
    tf.raw_ops.ReadVariableOp(resource=x, dtype=tf.float32)
    exported = meta_graph(graph, serve=({"x": info(x)}, {}))
    assert left(exported) == "a resource is no value to be sent"


def test_a_reference_to_a_variable_is_left(graph):
    variable = v1.get_variable("v", initializer=0.0, use_resource=False)
    exported = meta_graph(graph, serve=({"v": info(variable._ref())}, {}))
    assert left(exported) == "a float32_ref is no value to be sent"


def test_a_declaration_against_the_graph_is_left(graph):
    x = v1.placeholder(tf.float32, [2, 2], name="x")
    tf.identity(x)
    detail = left(meta_graph(graph, serve=({"x": info(x, [None, 3])}, {})))
    assert detail == "the graph itself has it as [2,2]: no request can be answered"


def test_the_list_of_ops_names_the_guard(graph):
    x = v1.placeholder(tf.float32, [None], name="x")
    tf.identity(x)
    exported = meta_graph(graph, serve=({"x": info(x)}, {}))
    guard_inputs(exported)
    names = [op.name for op in exported.meta_info_def.stripped_op_list.op]
    assert sorted(names) == ["EnsureShape", "Identity", "Placeholder"]


def test_a_graph_of_unknown_ops_is_refused(graph):
    x = v1.placeholder(tf.float32, [None], name="x")
    exported = meta_graph(graph, serve=({"x": info(x)}, {}))
    exported.graph_def.node.add(name="custom", op="NobodysOp")
    with pytest.raises(ExportError, match=r"tagged serve .* can build: .*NobodysOp"):
        guard_inputs(exported)
