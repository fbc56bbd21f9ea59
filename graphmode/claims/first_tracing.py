"""Claims 4 to 6: what is read, and what a trace holds."""

from collections.abc import Callable
from functools import partial

import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

from graphmode.claims.claim import Finding, Verdict, claim
from graphmode.claims.observing import brief, count_of, error_of, operations, optimised_operations


@claim(
    number=4,
    section="2",
    text="A graph is made in three stages: tracing, freezing, optimisation.",
    expected=Verdict.WRONG,
    right_way=(
        "Two things happen by themselves: the trace, at the first call with a new signature, and "
        "the optimisation, at the trace's first execution. Freezing is a third, and yours:\n"
        "```python\n"
        "from tensorflow.python.framework.convert_to_constants import (\n"
        "    convert_variables_to_constants_v2,\n"
        ")\n"
        "frozen = convert_variables_to_constants_v2(function.get_concrete_function(spec))\n"
        "```"
    ),
)
def _tracing_freezing_optimising() -> Finding:
    weight = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def scaled(x: tf.Tensor) -> tf.Tensor:
        return weight * x

    one = tf.constant(1.0)
    ran = optimised_operations(lambda: scaled(one))["ReadVariableOp"]
    before = float(scaled(one))
    weight.assign(3.0)
    after = float(scaled(one))
    concrete = scaled.get_concrete_function()
    traced = operations(concrete.graph.as_graph_def())["ReadVariableOp"]
    frozen = convert_variables_to_constants_v2(concrete)
    kept = operations(frozen.graph.as_graph_def())["ReadVariableOp"]
    return Finding(
        verdict=Verdict.HOLDS if before == after else Verdict.WRONG,
        happens=(
            f"The trace reads its variable when it runs: {traced} `ReadVariableOp` in it, {ran} in "
            f"the optimised graph, and a weight changed from 2 to 3 gives {before:g}, then "
            f"{after:g}. `convert_variables_to_constants_v2` leaves {kept}."
        ),
    )


@claim(
    number=5,
    section="2.1",
    text="TensorFlow does not parse your source code; it records what runs.",
    expected=Verdict.WRONG,
    right_way=(
        "AutoGraph reads the source, and rewrites it before the trace. Keep functions with tensor "
        "control flow in files, one `def` each; without source, use `tf.cond` and `tf.while_loop`."
    ),
)
def _source_is_not_parsed() -> Finding:
    text = "def size(x):\n    if x > 0:\n        return x\n    return -x\n"
    without_source: dict[str, Callable[[tf.Tensor], tf.Tensor]] = {}
    exec(text, without_source)  # noqa: S102 -- a function without source is what is tried

    def size(x: tf.Tensor) -> tf.Tensor:
        if x > 0:
            return x
        return -x

    # fmt: off
    twins = (lambda x: x if x > 0 else -x, lambda x: x if x > 0 else -x)
    # fmt: on
    value = tf.constant(-2.0)
    in_file, no_source, twin = (
        error_of(partial(tf.function(function), value))
        for function in (size, without_source["size"], twins[0])
    )
    return Finding(
        verdict=Verdict.WRONG if in_file is None and no_source is not None else Verdict.HOLDS,
        happens=(
            f"The same tensor `if` in a function from a file: {brief(in_file)}; from `exec`, which "
            f"leaves no source: {_kind(no_source)}; as one of two equal lambdas in one line: "
            f"{_kind(twin)}."
        ),
    )


@claim(
    number=6,
    section="2.1",
    text="A trace records only the branch that was taken; taking the other one traces again.",
    expected=Verdict.WRONG,
    right_way=(
        "A branch on a tensor puts both sides into one graph. A function is traced again for "
        "another static shape or another Python value, so sign the first and pass the second as "
        "a tensor:\n"
        "```python\n"
        "@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])\n"
        "def crop(x):\n"
        "    if tf.shape(x)[0] > 100: ...\n"
        "```"
    ),
)
def _only_the_branch_taken() -> Finding:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def first_hundred(x: tf.Tensor) -> tf.Tensor:
        if tf.shape(x)[0] > 100:
            x = x[:100]
        return x

    long, short = (int(tf.size(first_hundred(tf.zeros([size])))) for size in (150, 50))
    traces = first_hundred.experimental_get_tracing_count()
    graph = first_hundred.get_concrete_function().graph.as_graph_def()
    branches = [op for op in operations(graph) if op in ("If", "StatelessIf")]
    is_one = traces == 1 and (long, short) == (100, 50)
    return Finding(
        verdict=Verdict.WRONG if is_one else Verdict.HOLDS,
        happens=(
            f"150 rows give {long}, then 50 rows give {short}, with {count_of(traces, 'trace')}, "
            f"whose graph holds {branches or 'no conditional operation'}."
        ),
    )


def _kind(error: Exception | None) -> str:
    return "no error" if error is None else f"`{type(error).__name__}`"
