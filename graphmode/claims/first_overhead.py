"""Claims 1, 2, 21 and 22: what a call costs, eagerly and as a graph."""

from collections.abc import Callable

import tensorflow as tf

from graphmode.claims.claim import Finding, Verdict, claim
from graphmode.claims.observing import brief, eager_operations, error_of
from graphmode.claims.stopwatch import median_times_s
from graphmode.claims.subject import small_resnet, some_photos, train_step

_CLEAR_RATIO = 1.3
"""Times closer than this are not told apart on a busy machine."""


@claim(
    number=1,
    section="1",
    text="As a `tf.function`, the overhead of a call drops to zero.",
    expected=Verdict.WRONG,
    needs_timing=True,
    right_way=(
        "The overhead is paid once a call instead of once an operation: put many operations "
        "behind one call (a whole train step), not one."
    ),
)
def _overhead_drops_to_zero() -> Finding:
    x = tf.random.uniform([100])
    eager_one_s, graph_one_s = _eager_and_graph_s(_mean, x)
    eager_many_s, graph_many_s = _eager_and_graph_s(_fifty_tanh, x)
    many = sum(eager_operations(lambda: _fifty_tanh(x)).values())
    is_nothing = graph_one_s < 0.2 * eager_one_s
    return Finding(
        verdict=Verdict.HOLDS if is_nothing else Verdict.WRONG,
        happens=(
            f"One `reduce_mean` of 100 numbers takes {_us(eager_one_s)} eagerly and "
            f"{_us(graph_one_s)} as a `tf.function`; {many} operations on as many numbers take "
            f"{_us(eager_many_s)} eagerly and {_us(graph_many_s)} as one `tf.function`. "
            "The overhead of a call is fixed, whatever it holds."
        ),
    )


@claim(
    number=2,
    section="1, 6.2",
    text="`tf.function` on the train step saves a third of its time.",
    expected=Verdict.HOLDS,
    needs_timing=True,
    right_way=(
        "```python\n"
        "@tf.function(input_signature=[images, labels])\n"
        "def train_step(image, label): ...  # model and optimizer are closed over\n"
        "```\n"
        "Measure it on the machine that trains: the more time an operation takes, the less "
        "there is to gain."
    ),
    aside="Decided at a ratio of 1.3, for a machine that does other work meanwhile.",
)
def _a_third_less_for_the_train_step() -> Finding:
    photos, labels = some_photos()
    image, label = tf.constant(photos), tf.constant(labels)
    eager, graph = train_step(small_resnet()), tf.function(train_step(small_resnet()))
    eager_s, graph_s = median_times_s(
        lambda: eager(image, label).numpy(), lambda: graph(image, label).numpy(), rounds=9
    )
    ratio = eager_s / graph_s
    return Finding(
        verdict=Verdict.HOLDS if ratio > _CLEAR_RATIO else Verdict.WRONG,
        happens=(
            f"A step of a small residual network ({len(labels)} photos of {photos.shape[1]} "
            f"pixels) takes {eager_s * 1e3:.0f} ms eagerly and {graph_s * 1e3:.0f} ms as a graph: "
            f"{ratio:.1f} times as fast."
        ),
    )


@claim(
    number=21,
    section="2.3",
    text="Timing `func(x)` beside `func.get_concrete_function()(x)` shows what the graph gains.",
    expected=Verdict.WRONG,
    right_way=(
        "Bind the concrete function once, outside what is timed, warm up, and wait for the "
        "output:\n"
        "```python\n"
        "concrete = func.get_concrete_function(tf.TensorSpec([100], tf.float32))\n"
        "concrete(x)\n"
        "timeit.timeit(lambda: concrete(x).numpy(), number=1000)\n"
        "```"
    ),
)
def _timing_an_unbound_concrete_function() -> Finding:
    x = tf.random.uniform([100])
    mean = tf.function(_mean)
    error = error_of(lambda: mean.get_concrete_function()(x))
    concrete = mean.get_concrete_function(tf.TensorSpec([100], tf.float32))
    call_s, looked_up_s, bound_s = median_times_s(
        lambda: mean(x).numpy(),
        lambda: mean.get_concrete_function(x)(x).numpy(),
        lambda: concrete(x).numpy(),
        calls=50,
    )
    return Finding(
        verdict=Verdict.HOLDS if error is None else Verdict.WRONG,
        happens=(
            f"`get_concrete_function()` without a signature: `{brief(error)}`. A call takes "
            f"{_us(call_s)}, one that looks its concrete function up each time "
            f"{_us(looked_up_s)}, a concrete function bound once {_us(bound_s)}."
        ),
    )


@claim(
    number=22,
    section="2.3",
    text="A tiny function may gain nothing from `tf.function`.",
    expected=Verdict.HOLDS,
    needs_timing=True,
    right_way="Decorate the outermost function that only computes; leave single operations alone.",
)
def _tiny_functions_may_not_gain() -> Finding:
    eager_s, graph_s = _eager_and_graph_s(_mean, tf.random.uniform([100]))
    ratio = graph_s / eager_s
    return Finding(
        verdict=Verdict.HOLDS if ratio > _CLEAR_RATIO else Verdict.WRONG,
        happens=(
            f"`reduce_mean` of 100 numbers: {_us(eager_s)} eagerly, {_us(graph_s)} as a "
            f"`tf.function`, {ratio:.1f} times as long."
        ),
    )


def _mean(x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_mean(x)


def _fifty_tanh(x: tf.Tensor) -> tf.Tensor:
    for _ in range(50):
        x = tf.tanh(x) + 1.0
    return x


def _eager_and_graph_s(
    function: Callable[[tf.Tensor], tf.Tensor], x: tf.Tensor
) -> tuple[float, ...]:
    graph = tf.function(function)
    return median_times_s(
        lambda: function(x).numpy(), lambda: graph(x).numpy(), rounds=25, calls=20
    )


def _us(seconds: float) -> str:
    return f"{seconds * 1e6:.0f} µs"
