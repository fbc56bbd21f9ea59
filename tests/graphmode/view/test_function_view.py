import pytest
import tensorflow as tf

from graphmode.errors import GraphmodeError
from graphmode.view.function_view import view_function
from graphmode.view.pairing import pair_lines


@pytest.fixture(scope="module")
def everything(subject):
    return view_function(subject("everything"), "everything", is_recursive=True)


def flow(view, line, kind):
    (found,) = [flow for flow in view.flows if flow.line == line and flow.kind == kind]
    return found


@pytest.mark.parametrize(
    ("text", "kind", "call"),
    [
        ("# tensor if", "if", "ag__.if_stmt"),
        ("# tensor for", "for", "ag__.for_stmt"),
        ("# python for", "for", "ag__.for_stmt"),
        ("if not tf", "if else", "ag__.if_exp"),
        ("if not tf", "not", "ag__.not_"),
        ("if not tf", "a < b < c", "ag__.and_"),
    ],
)
def test_control_flow_is_linked_to_the_call_that_took_its_place(
    everything, line_of, text, kind, call
):
    found = flow(everything, line_of(text), kind)
    assert found.call == call
    (made,) = found.generated
    assert f"{call}(" in everything.generated.lines[made - 1]
    assert everything.generated.origins[made - 1] == found.statement


def test_control_flow_inside_a_statement_is_linked_by_where_that_begins(view, line_of):
    seen = view("spread_over_lines", specs=[tf.TensorSpec([])])
    found = flow(seen, line_of("# inside a statement"), "if else")
    assert (found.statement, found.call) == (found.line - 3, "ag__.if_exp")
    assert seen.traced(found) == "StatelessIf"
    (pair,) = [pair for pair in pair_lines(seen.source, seen.generated) if len(pair.source) > 1]
    assert any("ag__.if_exp(" in text for _, text in pair.generated)


def test_a_break_becomes_a_flag(everything, line_of):
    found = flow(everything, line_of("            break"), "break")
    texts = [everything.generated.lines[at - 1].strip() for at in found.generated]
    assert "break_ = True" in texts


@pytest.mark.parametrize(
    ("text", "kind"), [("sum([v + 1 for", "comprehension"), ("assert x is", "assert")]
)
def test_what_stays_python_is_said_to(everything, line_of, text, kind):
    found = flow(everything, line_of(text), kind)
    assert not found.is_converted
    assert found.meaning.startswith("stays Python")


def test_a_trace_tells_graph_control_flow_from_python(everything, line_of):
    traced = {
        text: everything.traced(flow(everything, line_of(text), kind))
        for text, kind in [
            ("# tensor if", "if"),
            ("# tensor for", "for"),
            ("# python for", "for"),
        ]
    }
    assert traced == {
        "# tensor if": "StatelessIf",
        "# tensor for": "StatelessWhile",
        "# python for": "stayed Python",
    }


def test_a_loop_of_a_called_function_is_told_where_it_stands(view, line_of):
    seen = view("halving.lowered", specs=[tf.TensorSpec([None])], is_recursive=True)
    assert [op for _, _, op in seen.trace.ops] == ["StatelessWhile"]
    (inner,) = seen.inner
    assert inner.traced(flow(inner, line_of("while tf.reduce_sum"), "while")) == "StatelessWhile"


def test_a_loop_of_a_called_function_is_not_the_callers(view, line_of):
    seen = view("looped_over_halves", specs=[tf.TensorSpec([None])])
    assert [op for _, _, op in seen.trace.ops] == ["StatelessWhile"] * 2
    assert seen.traced(flow(seen, line_of("# calls a loop"), "for")) == "stayed Python"


def test_a_method_is_traced_with_its_instance_only(view):
    error = view("Halving.halved", specs=[tf.TensorSpec([None])]).trace.error
    assert error == "a method is traced with its instance: name it as module:instance.method"


def test_every_line_is_paired_once_with_what_was_made_from_it(everything, line_of):
    pairs = pair_lines(everything.source, everything.generated)
    assert [line for pair in pairs for line in pair.source] == everything.source.numbered
    generated = [text for pair in pairs for _, text in pair.generated]
    assert generated == list(everything.generated.lines)
    (made,) = [pair for pair in pairs if any("square" in text for _, text in pair.generated)]
    first = line_of("y = tf.square(")
    assert [number for number, _ in made.source] == [first, first + 1, first + 2]


def test_calls_are_told_apart_by_what_autograph_does_with_them(everything):
    treatments = {callee.name: callee.treatment for callee in everything.callees}
    assert treatments == {
        "tf.reduce_sum": "of tensorflow, which AutoGraph does not convert",
        "doubled_to_ten": "converted with this function",
        "tf.square": "of tensorflow, which AutoGraph does not convert",
        "tf.range": "of tensorflow, which AutoGraph does not convert",
        "range": "replaced by AutoGraph's version",
        "float": "replaced by AutoGraph's version",
        "sum": "built in",
        "kept": "decorated with do_not_convert",
        "counted": "a generator",
        "tf.identity": "of tensorflow, which AutoGraph does not convert",
        "tf.reduce_any": "of tensorflow, which AutoGraph does not convert",
    }


def test_the_converted_callees_are_viewed_one_level_deep(everything):
    (inner,) = everything.inner
    assert inner.name == "doubled_to_ten"
    assert inner.flows[0].call == "ag__.while_stmt"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("one", "another lambda with the same parameters"),
        ("from_exec", "made by exec"),
        ("counted", "a generator"),
        ("kept", "decorated with do_not_convert"),
        ("told_not_to", "autograph=False"),
        ("cached", "wrapped in _lru_cache_wrapper"),
        ("Rectifier.call", "keras calls call itself"),
        ("rectifier", "keras calls call itself"),
        ("Trained.train_step", "keras calls train_step itself"),
    ],
)
def test_what_is_not_converted_says_why(view, name, reason):
    seen = view(name)
    assert reason in seen.unconverted
    assert [flow for flow in seen.flows if flow.is_converted] == []


@pytest.mark.parametrize(
    "name",
    [
        "sign",
        "with_five",
        "Halving.halved",
        "halving.halved",
        "halving.lowered",
        "GraphRectifier.call",
        "graph_rectifier.call",
        "Halving.plain",
    ],
)
def test_what_is_converted_is_found_behind_its_wrapping(view, name):
    seen = view(name)
    assert seen.unconverted is None
    assert "ag__." in "\n".join(seen.generated.lines)


def test_a_methods_self_is_known(view):
    (lowered, _) = view("halving.halved").callees
    assert (lowered.name, lowered.treatment) == ("self.lowered", "converted with this function")
    (size,) = [callee.target for callee in view("uses_a_layer").callees]
    assert size is not None


def test_a_call_of_a_layer_is_not_converted(view):
    (layer,) = view("uses_a_layer").callees
    assert layer.treatment == "its __call__ is of keras, which AutoGraph does not convert"


def test_a_layer_is_traced_as_keras_calls_it(view):
    specs = [tf.TensorSpec([2, 3])]
    error = view("rectifier", specs=specs).trace.error
    assert error.startswith("OperatorNotAllowedInGraphError: Exception encountered when calling")
    assert "\x1b" not in error
    assert error.count("OperatorNotAllowedInGraphError") == 1
    scalar = [tf.TensorSpec([])]
    assert "OperatorNotAllowed" in view("trained.train_step", specs=scalar).trace.error
    seen = view("graph_rectifier.call", specs=specs)
    assert [op for _, _, op in seen.trace.ops] == ["StatelessIf"]


def test_a_trace_that_fails_does_not_hide_the_view(view):
    seen = view("sign", specs=[tf.TensorSpec([], tf.string)])
    assert seen.trace.error
    assert seen.generated is not None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Halving", "is a class: name one of its methods"),
        ("concrete", "is a concrete function, which keeps no source"),
        ("VECTOR", "is a list, not a Python function"),
        ("tf.math.tanh.__call__", "is a method-wrapper, not a Python function"),
        ("functools.reduce", "is a builtin_function_or_method, not a Python function"),
    ],
)
def test_what_holds_no_function_is_refused(view, name, said):
    with pytest.raises(GraphmodeError, match=said):
        view(name)
