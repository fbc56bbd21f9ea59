"""A trace too many is an error that names the argument and the cure."""

from pathlib import Path

import keras
import pytest
import tensorflow as tf

from graphmode.trace_budget import TraceBudgetExceeded, trace_budget


def doubled(*, signature=None):
    return tf.function(lambda x, factor=2.0: x * factor, input_signature=signature)


def reason(function, *calls, at_most=1):
    """What is said when calls, each a list of arguments, are a trace too many."""
    budget = trace_budget(function, at_most=at_most)
    budget.__enter__()
    for arguments in calls:
        function(*arguments)
    with pytest.raises(TraceBudgetExceeded) as exceeded:
        budget.check()
    return str(exceeded.value)


def test_within_the_budget_nothing_is_said():
    function = doubled(signature=[tf.TensorSpec([None, 3])])
    with trace_budget(function, at_most=1):
        for rows in (1, 2, 3):
            function(tf.ones([rows, 3]))


def test_a_shape_is_named_with_its_axis():
    said = reason(doubled(), [tf.ones([16, 3])], [tf.ones([7, 3])])
    assert said.splitlines()[0] == "<lambda> was traced twice, at most once allowed"
    assert "x: float32 [16, 3] -> float32 [7, 3]: input_signature with None in axis 0" in said


def test_only_the_argument_that_changed_is_named():
    said = reason(doubled(), [tf.ones(3), 1e-3], [tf.ones(3), 1e-4])
    (line,) = said.splitlines()[1:]
    assert line.startswith("  factor: 0.001 -> 0.0001: each Python value is a trace: pass tf.const")


def test_a_dtype_is_named():
    said = reason(tf.function(lambda x: x), [tf.ones(3)], [tf.ones(3, tf.int32)])
    assert "x: float32 [3] -> int32 [3]: tf.cast to one dtype" in said


def test_a_part_of_a_dict_is_named():
    first, second = ({"a": tf.ones(3), "b": tf.ones(size)} for size in (1, 2))
    function = tf.function(lambda x: x["a"])
    assert "x['b']: float32 [1] -> float32 [2]" in reason(function, [first], [second])


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ([1.0], [1.0, 1.0], "list of 1 -> list of 2: another structure"),
        ([1.0], {"a": 1.0}, "list of 1 -> dict of 1: another structure"),
        (1.0, tf.constant(1.0), "1.0 -> float32 []: a tensor in one call, a Python value"),
        (object(), object(), "each Python object is a trace: make it once"),
    ],
)
def test_structures_and_objects_are_named(first, second, words):
    function = tf.function(lambda x: tf.constant(1) if x is None else tf.constant(2))
    assert words in reason(function, [first], [second])


def test_the_nearest_earlier_trace_is_compared_with():
    calls = [tf.ones([2, 3]), 1.0], [tf.ones([2, 4]), 2.0], [tf.ones([2, 3]), 3.0]
    said = reason(doubled(), *calls, at_most=2)
    assert said.splitlines()[-1].startswith("  factor: 1.0 -> 3.0:")


def test_traces_before_the_block_are_free():
    function = doubled()
    function(tf.ones(1))
    with trace_budget(function, at_most=1):
        function(tf.ones(2))
    assert "traced once, at most 0 times" in reason(function, [tf.ones(3)], at_most=0)


def test_variables_made_on_the_first_call_are_told():
    weight = tf.Variable(1.0)
    optimizer = keras.optimizers.SGD(0.1, momentum=0.9)

    @tf.function
    def step():
        optimizer.apply([tf.constant(1.0)], [weight])

    assert "made variables, which takes a second trace: make them before (opt" in reason(step, [])


def test_each_function_has_the_budget_for_itself():
    first, second = doubled(), doubled()
    with trace_budget(first, second, at_most=1):
        first(tf.ones(1))
        second(tf.ones(1))
    budget = trace_budget(first, second, at_most=1)
    budget.__enter__()
    for size in (2, 3):
        second(tf.ones(size))
    with pytest.raises(TraceBudgetExceeded, match="traced twice"):
        budget.check()


def test_what_the_block_raises_is_not_covered_up():
    function = doubled()

    @trace_budget(function, at_most=0)
    def failing():
        function(tf.ones(1))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()


def test_what_is_never_traced_is_refused():
    with pytest.raises(TypeError, match=r"counts traces of tf\.function objects"):
        trace_budget(print)
    with pytest.raises(TypeError, match=r"is no tf\.function"):
        trace_budget(at_most=1)(print)


def test_a_decorated_function_is_checked_at_every_call():
    @trace_budget(at_most=2)
    @tf.function
    def negative(x):
        """Minus x."""
        return -x

    assert negative.__doc__ == "Minus x."
    for size in (1, 2, 1):
        assert negative(tf.ones(size)).shape == [size]
    assert negative.experimental_get_tracing_count() == 2
    with pytest.raises(TraceBudgetExceeded, match="negative was traced 3 times, at most twice"):
        negative(tf.ones(3))


def test_a_decorated_method_counts_for_each_instance():
    class Scaled(tf.Module):
        @trace_budget(at_most=1)
        @tf.function
        def __call__(self, x):
            return 2 * x

    for scaled in (Scaled(), Scaled()):
        scaled(tf.ones(1))
    with pytest.raises(TraceBudgetExceeded):
        scaled(tf.ones(2))


def test_a_decorated_caller_has_the_budget_in_each_call():
    function = doubled()

    @trace_budget(function, at_most=1)
    def caller(*sizes):
        for size in sizes:
            function(tf.ones(size))

    caller(1)
    caller(2)
    with pytest.raises(TraceBudgetExceeded):
        caller(3, 4)


def test_the_fixture_counts_to_the_end_of_the_test(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    pytester.makepyfile(
        """
        import pytest, tensorflow as tf

        function = tf.function(lambda x: x)

        @pytest.mark.parametrize("sizes", [(1,), (2, 3)])
        def test_traces(trace_budget, sizes):
            trace_budget(function, at_most=1)
            for size in sizes:
                function(tf.ones(size))
        """
    )
    result = pytester.runpytest_subprocess("-p", "graphmode.pytest_plugin")
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*TraceBudgetExceeded: <lambda> was traced twice*"])
