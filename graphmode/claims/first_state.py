"""Claims 28 to 31 and 33: counters, loops, updates and assert."""

import tensorflow as tf

from graphmode.claims.claim import Finding, Verdict, claim
from graphmode.claims.observing import brief, count_of, error_of, operations
from graphmode.claims.stopwatch import median_times_s

_CLEAR_RATIO = 1.3
"""Times closer than this are not told apart on a busy machine."""
_TURNS = 100


@claim(
    number=28,
    section="3.2",
    text="A Python integer counted up in a loop over tensors (`bad_counter`) fails.",
    expected=Verdict.WRONG,
    right_way="AutoGraph makes it a variable of the loop; it works as written.",
)
def _python_counter() -> Finding:
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def counted(turns: tf.Tensor) -> tf.Tensor:
        count = 0
        for _ in tf.range(turns):
            count += 1
        return count

    results: list[int] = []
    error = error_of(lambda: results.extend(int(counted(tf.constant(n))) for n in (5, 7)))
    traces = counted.experimental_get_tracing_count()
    return Finding(
        verdict=Verdict.WRONG if results == [5, 7] else Verdict.HOLDS,
        happens=(
            f"Counting to 5 and to 7 gives {results}, {count_of(traces, 'trace')}, {brief(error)}."
        ),
    )


@claim(
    number=29,
    section="3.2",
    text="A `tf.Variable` made in the function and counted up (`good_counter`) works.",
    expected=Verdict.WRONG,
    right_way=(
        "Count in a Python integer (claim 28). A count that shall last from call to call is a "
        "variable made once, outside:\n"
        "```python\n"
        "count = tf.Variable(0)\n\n"
        "@tf.function(input_signature=[tf.TensorSpec([], tf.int32)])\n"
        "def counted(turns):\n"
        "    for _ in tf.range(turns):\n"
        "        count.assign_add(1)\n"
        "    return count.read_value()\n"
        "```"
    ),
)
def _variable_counter() -> Finding:
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def made_inside(turns: tf.Tensor) -> tf.Tensor:
        count = tf.Variable(0)
        for _ in tf.range(turns):
            count.assign_add(1)
        return count.read_value()

    kept = tf.Variable(0)

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def made_outside(turns: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(turns):
            kept.assign_add(1)
        return kept.read_value()

    error = error_of(lambda: made_inside(tf.constant(5)))
    outside = [int(made_outside(tf.constant(5))) for _ in range(2)]
    return Finding(
        verdict=Verdict.HOLDS if error is None else Verdict.WRONG,
        happens=(
            f"The first call: `{brief(error)}`. With the variable outside, two calls of five "
            f"turns give {outside}."
        ),
    )


@claim(
    number=30,
    section="3.2",
    text="`tf.while_loop` is faster than a `for` loop that AutoGraph converts.",
    expected=Verdict.WRONG,
    needs_timing=True,
    right_way=(
        "Write the `for` loop: both become the same operation. AutoGraph's has one more counter, "
        "a microsecond or so a turn, which does not show where a turn computes something."
    ),
    aside="Decided on 96 x 96, at a ratio of 1.3, for a machine that does other work meanwhile.",
)
def _while_loop_is_faster() -> Finding:
    @tf.function
    def by_for(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(_TURNS):
            x = tf.tanh(x @ x)
        return x

    @tf.function
    def by_while_loop(x: tf.Tensor) -> tf.Tensor:
        return tf.while_loop(
            lambda turn, _: turn < _TURNS, lambda turn, x: (turn + 1, tf.tanh(x @ x)), (0, x)
        )[1]

    single, square = tf.fill([1, 1], 0.1), tf.fill([96, 96], 0.1)
    bare_for_s, bare_while_s, for_s, while_s = median_times_s(
        lambda: by_for(single).numpy(),
        lambda: by_while_loop(single).numpy(),
        lambda: by_for(square).numpy(),
        lambda: by_while_loop(square).numpy(),
        rounds=15,
        calls=5,
    )
    loops = [
        op
        for function in (by_for, by_while_loop)
        for op in operations(function.get_concrete_function(single).graph.as_graph_def())
        if op in ("While", "StatelessWhile")
    ]
    return Finding(
        verdict=Verdict.HOLDS if for_s / while_s > _CLEAR_RATIO else Verdict.WRONG,
        happens=(
            f"{_TURNS} turns with a product of 96 x 96 take {for_s * 1e3:.1f} ms by `for` and "
            f"{while_s * 1e3:.1f} ms by `tf.while_loop`; with one of 1 x 1, "
            f"{bare_for_s * 1e3:.2f} ms and {bare_while_s * 1e3:.2f} ms. In the graphs they are "
            f"{' and '.join(f'`{op}`' for op in loops)}."
        ),
    )


@claim(
    number=31,
    section="3.2",
    text="`tf.tensor_scatter_nd_update` changes a tensor in place, in the graph.",
    expected=Verdict.WRONG,
    right_way=(
        "It gives a new tensor; use what it returns. What changes in place is a `tf.Variable`: "
        "`variable.scatter_nd_update(...)`."
    ),
)
def _scatter_in_place() -> Finding:
    @tf.function
    def before_and_after(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        updated = tf.tensor_scatter_nd_update(x, [[0]], [9])
        return x + 0, updated

    x = tf.constant([1, 2])
    left, updated = (each.numpy().tolist() for each in before_and_after(x))
    is_changed = left[0] == 9 or int(x[0]) == 9
    return Finding(
        verdict=Verdict.HOLDS if is_changed else Verdict.WRONG,
        happens=f"After the update of [1, 2] the input is {left}, the result {updated}.",
    )


@claim(
    number=33,
    section="3.2",
    text="`assert` is checked at the trace only.",
    expected=Verdict.WRONG,
    right_way=(
        "On a tensor it does not even trace. `tf.debugging.assert_*` checks tensors; so does "
        "`assert`, when AutoGraph is told to convert it:\n"
        "```python\n"
        "options = tf.autograph.experimental.Feature.ASSERT_STATEMENTS\n"
        "@tf.function(experimental_autograph_options=options)\n"
        "def root(x): ...\n"
        "```\n"
        "An `assert` on Python values does run at the trace."
    ),
)
def _assert_at_the_trace() -> Finding:
    def checked(x: tf.Tensor) -> tf.Tensor:
        assert x > 0
        return tf.sqrt(x)

    converted = tf.function(
        checked,
        experimental_autograph_options=tf.autograph.experimental.Feature.ASSERT_STATEMENTS,
    )
    plain_error = error_of(lambda: tf.function(checked)(tf.constant(4.0)))
    good_error = error_of(lambda: converted(tf.constant(4.0)))
    bad_error = error_of(lambda: converted(tf.constant(-4.0)))
    return Finding(
        verdict=Verdict.HOLDS if plain_error is None else Verdict.WRONG,
        happens=(
            f"`assert x > 0` on a tensor, called with 4: `{brief(plain_error)}`. With the option "
            f"for assertions: {brief(good_error)} for 4, `{type(bad_error).__name__}` for -4."
        ),
    )
