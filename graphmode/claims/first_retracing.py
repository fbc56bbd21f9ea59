"""Claims 7 to 12: what makes a function be traced again."""

import numpy as np
import tensorflow as tf

from graphmode.claims.claim import Finding, Verdict, claim
from graphmode.claims.observing import brief, count_of, error_of


@claim(
    number=7,
    section="2.1",
    text="The traces are kept in a cache of concrete functions, one for each signature.",
    expected=Verdict.HOLDS,
    right_way=(
        "Look at it: `function.experimental_get_tracing_count()` and "
        "`print(function.pretty_printed_concrete_signatures())`."
    ),
)
def _cache_of_concrete_functions() -> Finding:
    square = tf.function(lambda x: x * x)
    sizes = (2, 3, 2, 3)
    for size in sizes:
        square(tf.zeros([size]))
    traces = square.experimental_get_tracing_count()
    spec = tf.TensorSpec([2], tf.float32)
    is_kept = square.get_concrete_function(spec) is square.get_concrete_function(spec)
    return Finding(
        verdict=Verdict.HOLDS if traces == 2 and is_kept else Verdict.WRONG,
        happens=(
            f"{len(sizes)} calls with vectors of two lengths, in turn: {traces} traces. Asked for "
            f"twice, the concrete function is {'the same' if is_kept else 'another'} object."
        ),
    )


@claim(
    number=8,
    section="2.1",
    text="A Python constant in a condition causes a new trace when it changes.",
    expected=Verdict.PART,
    right_way=(
        "True of arguments only. What a function reads from a global, a closure or an attribute "
        "is frozen at the trace: pass it as a tensor, or keep it in a `tf.Variable`."
    ),
)
def _python_constants_retrace() -> Finding:
    power = tf.function(lambda x, n: x**n)
    values = (1, 2, 3, 33)
    for n in values:
        power(tf.constant(1.0), n)
    by_argument = power.experimental_get_tracing_count()
    setting = {"threshold": 1}
    threshold = tf.function(lambda: tf.constant(setting["threshold"]))
    threshold()
    setting["threshold"] = 5
    seen = int(threshold())
    by_closure = threshold.experimental_get_tracing_count()
    called = tf.function(lambda settings: tf.constant(settings.threshold))
    for _ in range(3):
        called(_Settings())
    by_object = called.experimental_get_tracing_count()
    both = (by_argument == len(values), by_closure == 2)
    verdicts = {(True, True): Verdict.HOLDS, (True, False): Verdict.PART}
    return Finding(
        verdict=verdicts.get(both, Verdict.WRONG),
        happens=(
            f"{len(values)} values of an argument: {by_argument} traces. A value read from outside "
            f"and changed from 1 to 5 between two calls: {count_of(by_closure, 'trace')}, and the "
            f"second call sees {seen}. Three calls, each with an equal object of its own: "
            f"{count_of(by_object, 'trace')}."
        ),
    )


@claim(
    number=9,
    section="2.1",
    text="`list.append` in the function causes a new trace.",
    expected=Verdict.WRONG,
    right_way=(
        "Appending in a Python loop is unrolled and harmless. In a loop over tensors use "
        "`tf.TensorArray`, for there a list goes wrong (claim 51)."
    ),
)
def _list_append_retraces() -> Finding:
    @tf.function
    def powers(x: tf.Tensor) -> tf.Tensor:
        rows = []
        for exponent in range(3):
            rows.append(x**exponent)  # noqa: PERF401 -- append is what is tried
        return tf.stack(rows)

    results = [powers(tf.constant(float(value))).numpy().tolist() for value in range(4)]
    traces = powers.experimental_get_tracing_count()
    return Finding(
        verdict=Verdict.WRONG if traces == 1 else Verdict.HOLDS,
        happens=f"Four calls: {count_of(traces, 'trace')}; the last gives {results[-1]} for 3.",
    )


@claim(
    number=10,
    section="2.1",
    text="Making a variable inside the function causes a new trace.",
    expected=Verdict.WRONG,
    right_way=(
        "It is refused. Make the variable once, outside:\n"
        "```python\n"
        "count = tf.Variable(0)\n\n"
        "@tf.function(input_signature=[])\n"
        "def step():\n"
        "    return count.assign_add(1)\n"
        "```"
    ),
)
def _variables_inside_retrace() -> Finding:
    @tf.function
    def grown(x: tf.Tensor) -> tf.Tensor:
        return tf.Variable(1.0).assign_add(x)

    error = error_of(lambda: [grown(tf.constant(2.0)) for _ in range(2)])
    traces = grown.experimental_get_tracing_count()
    is_retraced = error is None and traces > 1
    return Finding(
        verdict=Verdict.HOLDS if is_retraced else Verdict.WRONG,
        happens=f"Two calls: `{brief(error)}`",
    )


@claim(
    number=11,
    section="2.2",
    text="A graph is bound to the shapes of its inputs, not to their values.",
    expected=Verdict.PART,
    right_way=(
        "True of tensors and NumPy values. Python numbers, strings and booleans are part of the "
        "signature: one trace for each value."
    ),
)
def _shapes_not_values() -> Finding:
    kinds: dict[str, tuple[object, object]] = {
        "tensors": (tf.constant(1.0), tf.constant(2.0)),
        "NumPy scalars": (np.float32(1), np.float32(2)),
        "Python floats": (1.0, 2.0),
    }
    traces = {}
    for kind, pair in kinds.items():
        double = tf.function(lambda x: 2 * tf.convert_to_tensor(x))
        for value in pair:
            double(value)
        traces[kind] = double.experimental_get_tracing_count()
    is_free = {kind: count == 1 for kind, count in traces.items()}
    if not is_free["tensors"]:
        verdict = Verdict.WRONG
    else:
        verdict = Verdict.HOLDS if all(is_free.values()) else Verdict.PART
    seen = ", ".join(f"{count} for {kind}" for kind, count in traces.items())
    return Finding(verdict=verdict, happens=f"Traces for two values: {seen}.")


@claim(
    number=12,
    section="2.2",
    text="Traced with a batch, the input of the graph is `[?, 224, 224, 3]`.",
    expected=Verdict.WRONG,
    right_way=(
        "The batch size is part of the signature, unless you leave it open:\n"
        "```python\n"
        "@tf.function(input_signature=[tf.TensorSpec([None, 224, 224, 3], tf.float32)])\n"
        "def predict(image): ...\n"
        "```\n"
        "or let `reduce_retracing=True` find out."
    ),
)
def _batch_dimension_is_open() -> Finding:
    mean = tf.function(tf.reduce_mean)
    concrete = mean.get_concrete_function(tf.zeros([8, 224, 224, 3]))
    shape = concrete.inputs[0].shape
    relaxed = tf.function(tf.reduce_mean, reduce_retracing=True)
    batches = (1, 2, 3, 4)
    for batch in batches:
        relaxed(tf.zeros([batch, 2]))
    return Finding(
        verdict=Verdict.HOLDS if shape[0] is None else Verdict.WRONG,
        happens=(
            f"Traced with 8 photos, the input is `{shape}`. With `reduce_retracing=True`, "
            f"{len(batches)} batch sizes make {relaxed.experimental_get_tracing_count()} traces."
        ),
    )


class _Settings:
    threshold = 1
