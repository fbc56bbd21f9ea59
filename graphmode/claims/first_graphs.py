"""Claims 13 to 20: concrete functions, and what is optimised in their graphs."""

from functools import partial

import keras
import tensorflow as tf

from graphmode.claims.claim import Finding, Verdict, claim
from graphmode.claims.observing import (
    brief,
    count_of,
    eager_operations,
    error_of,
    operations,
    optimised_operations,
)

_NOWHERE = "file:///dev/null"
_FUSED = ("_FusedConv2D", "_MklNativeFusedConv2D", "_MklFusedConv2D")


@claim(
    number=13,
    section="2.2",
    text="`get_concrete_function(tf.TensorSpec(...))` gives the graph for one signature.",
    expected=Verdict.HOLDS,
    right_way="As claimed; a spec with `None` gives one graph for all sizes of that dimension.",
)
def _concrete_function_from_a_spec() -> Finding:
    total = tf.function(tf.reduce_sum)
    concrete = total.get_concrete_function(tf.TensorSpec([None], tf.float32))
    sums: list[float] = []
    error = error_of(lambda: sums.extend(float(concrete(tf.ones([size]))) for size in (2, 5)))
    traces = total.experimental_get_tracing_count()
    return Finding(
        verdict=Verdict.HOLDS if sums == [2, 5] and traces == 1 else Verdict.WRONG,
        happens=(
            f"Made from a spec of `[None]`, called with two and with five ones: {sums}, "
            f"{count_of(traces, 'trace')}, {brief(error)}."
        ),
    )


@claim(
    number=14,
    section="2.2",
    text="Printing a concrete function shows `ConcreteFunction func(x, y) at 0x...`.",
    expected=Verdict.OUTDATED,
    right_way="`print(concrete)` is the long form for people; `repr(concrete)` is the one line.",
)
def _printed_concrete_function() -> Finding:
    def func(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        return x + y

    spec = tf.TensorSpec([], tf.float32)
    concrete = tf.function(func).get_concrete_function(spec, spec)
    printed, told = str(concrete), repr(concrete)
    if "ConcreteFunction func(x, y) at 0x" in printed:
        verdict = Verdict.HOLDS
    else:
        verdict = Verdict.OUTDATED if "ConcreteFunction" in printed else Verdict.WRONG
    heads = [line.rstrip(":") for line in printed.splitlines() if line and line[0] != " "]
    return Finding(
        verdict=verdict,
        happens=(
            f"Printed, it has the parts {', '.join(f'`{head}`' for head in heads)}; its `repr` is "
            f"`{told.partition(' at ')[0]} at 0x...`."
        ),
    )


@claim(
    number=15,
    section="2.2",
    text="`concrete.graph.as_graph_def()` shows the graph that runs.",
    expected=Verdict.PART,
    right_way=(
        "It is the graph before optimisation. `python -m graphmode graph` shows both; by hand, "
        "around the function's first call:\n"
        "```python\n"
        "from tensorflow.python.eager import context\n\n"
        "context.enable_graph_collection()\n"
        "function(x)\n"
        "ran = context.export_run_metadata().function_graphs[0].post_optimization_graph\n"
        "context.disable_graph_collection()\n"
        "```"
    ),
)
def _graph_def_is_what_runs() -> Finding:
    traced, ran = _traced_and_ran()
    seen = traced["AddV2"] > 0
    if not seen:
        verdict = Verdict.WRONG
    else:
        verdict = Verdict.HOLDS if ran["AddV2"] == traced["AddV2"] else Verdict.PART
    return Finding(
        verdict=verdict,
        happens=(
            f"For a function with 1 + 2 and an unused product in it, the graph definition has "
            f"{_told(traced)}; what ran had {_told(ran)}."
        ),
    )


@claim(
    number=16,
    section="2.3",
    text="Constants are folded: 1 + 2 becomes 3 in the graph.",
    expected=Verdict.HOLDS,
    right_way="As claimed, when the graph first runs; the traced graph still has the addition.",
)
def _constants_are_folded() -> Finding:
    traced, ran = _traced_and_ran()
    return Finding(
        verdict=Verdict.HOLDS if traced["AddV2"] and not ran["AddV2"] else Verdict.WRONG,
        happens=(
            f"Traced: {count_of(traced['Const'], 'constant')} and "
            f"{count_of(traced['AddV2'], 'addition')}; run: "
            f"{count_of(ran['Const'], 'constant')} and {count_of(ran['AddV2'], 'addition')}."
        ),
    )


@claim(
    number=17,
    section="2.3",
    text="Convolution, bias and ReLU are fused into one `FusedConv2D`.",
    expected=Verdict.PART,
    right_way=(
        "True of exactly these three operations. Keras 3's batch normalisation stands between "
        "convolution and ReLU and is not fused: fold it into the convolution before serving."
    ),
)
def _convolutions_are_fused() -> Finding:
    photos = tf.random.uniform([2, 16, 16, 3])
    kernel, bias = tf.Variable(tf.random.uniform([3, 3, 3, 8])), tf.Variable(tf.zeros([8]))

    @tf.function
    def plain(x: tf.Tensor) -> tf.Tensor:
        return tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, kernel, 1, "SAME"), bias))

    normalised = keras.Sequential(
        [
            keras.layers.Conv2D(8, 3, padding="same", use_bias=False),
            keras.layers.BatchNormalization(),
            keras.layers.ReLU(),
        ]
    )
    normalised(photos)
    with_norm = tf.function(lambda x: normalised(x, training=False))
    bare, keras_made = (
        optimised_operations(partial(function, photos)) for function in (plain, with_norm)
    )
    fused = (_is_fused(bare), _is_fused(keras_made))
    verdicts = {(True, True): Verdict.HOLDS, (True, False): Verdict.PART}
    return Finding(
        verdict=verdicts.get(fused, Verdict.WRONG),
        happens=(
            f"Convolution, bias, ReLU: {_convolutions(bare)}. Keras' convolution, batch "
            f"normalisation, ReLU: {_convolutions(keras_made)}, and {keras_made['Relu']} `Relu` "
            "by itself."
        ),
    )


@claim(
    number=18,
    section="2.3",
    text="The layout is optimised: NHWC becomes NCHW where that is faster.",
    expected=Verdict.UNTESTED,
    right_way=(
        "It is a pass for GPUs. On a CPU there is only "
        "`tf.config.optimizer.set_experimental_options({'cpu_layout_conversion': ...})`, which is "
        "off unless asked for; leave the layout NHWC."
    ),
)
def _layout_is_optimised() -> Finding:
    photos, kernel = tf.random.uniform([2, 16, 16, 3]), tf.random.uniform([3, 3, 3, 8])
    blurred = tf.function(lambda x: tf.nn.conv2d(x, kernel, 1, "SAME"))
    transposed = optimised_operations(lambda: blurred(photos))["Transpose"]
    gpus = len(tf.config.list_physical_devices("GPU"))
    changed = Verdict.HOLDS if transposed else Verdict.WRONG
    return Finding(
        verdict=changed if gpus else Verdict.UNTESTED,
        happens=(
            f"Here are {gpus} GPUs. A convolution of NHWC photos ran with {transposed} `Transpose` "
            "around it" + ("." if gpus else ": no layout was changed, nor should it be on a CPU.")
        ),
    )


@claim(
    number=19,
    section="2.3",
    text="Dead code is removed from the graph.",
    expected=Verdict.HOLDS,
    right_way="As claimed, and what has an effect (`tf.print`, an assertion) stays.",
)
def _dead_code_is_removed() -> Finding:
    traced, ran = _traced_and_ran()
    is_removed = traced["MatMul"] > 0 and not ran["MatMul"]
    return Finding(
        verdict=Verdict.HOLDS if is_removed and ran["PrintV2"] else Verdict.WRONG,
        happens=(
            f"`MatMul` whose result is not used: {traced['MatMul']} traced, {ran['MatMul']} run. "
            f"`tf.print`, whose result is not used either: {traced['PrintV2']} traced, "
            f"{ran['PrintV2']} run."
        ),
    )


@claim(
    number=20,
    section="2.3",
    text="None of these optimisations is possible in eager execution.",
    expected=Verdict.HOLDS,
    right_way="As claimed: an operation that runs at once knows nothing of the next one.",
)
def _eager_is_not_optimised() -> Finding:
    ran = eager_operations(lambda: _sum_and_waste(tf.ones([2, 2])))
    is_plain = ran["AddV2"] > 0 and ran["MatMul"] > 0
    return Finding(
        verdict=Verdict.HOLDS if is_plain else Verdict.WRONG,
        happens=(
            "The lines whose graph is mended in claims 16 and 19, run eagerly: 1 + 2 is added "
            f"{count_of(ran['AddV2'], 'time')}, the unused `MatMul` runs "
            f"{count_of(ran['MatMul'], 'time')}."
        ),
    )


def _sum_and_waste(x: tf.Tensor) -> tf.Tensor:
    tf.matmul(x, x)
    tf.print("kept", output_stream=_NOWHERE)
    return tf.exp(x) * (tf.constant(1.0) + tf.constant(2.0))


def _traced_and_ran() -> tuple[dict[str, int], dict[str, int]]:
    x = tf.ones([2, 2])
    wasteful = tf.function(_sum_and_waste)
    traced = operations(wasteful.get_concrete_function(x).graph.as_graph_def())
    return traced, optimised_operations(lambda: wasteful(x))


def _told(counts: dict[str, int]) -> str:
    kept = ("Const", "AddV2", "MatMul", "Exp", "Mul")
    return ", ".join(f"{counts[op]} `{op}`" for op in kept)


def _is_fused(counts: dict[str, int]) -> bool:
    return any(counts[op] for op in _FUSED) and not counts["Relu"]


def _convolutions(counts: dict[str, int]) -> str:
    seen = [f"{count} `{op}`" for op, count in counts.items() if "Conv2D" in op]
    return ", ".join(seen) or "no convolution"
