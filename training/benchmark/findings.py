"""What a table says, in sentences that its own numbers choose."""

from collections.abc import Mapping
from functools import partial

from training.benchmark import preprocess_subjects as pre
from training.benchmark import train_subjects as train
from training.benchmark.interleaved import Measured, Ratio, ratio

By = Mapping[str, Measured]


def compared(by: By, name: str, other: str) -> str:
    """Say how two rows compare, or that they could not be told apart."""
    found = ratio(by[name], by[other])
    if not found.is_told_apart_from_1:
        return f"between `{name}` and `{other}` no difference was measured: {found}"
    word = "faster" if found.value > 1 else "slower"
    factor = found if found.value > 1 else Ratio(1 / found.value, 1 / found.high, 1 / found.low)
    return f"`{name}` is {factor} {word} than `{other}`"


def train_findings(by: By, waits: float) -> list[str]:
    """What table 6.2 says."""
    vs = partial(compared, by)
    default, fixed, xla = by[train.GRAPH_DEFAULT], by[train.GRAPH_FIXED], by[train.XLA]
    return [
        (
            f"Graph: {vs(train.GRAPH_FIXED, train.EAGER)}. Eager pays Python's way to a "
            "kernel once for each of some thousand operations of a step, the graph once a step."
        ),
        (
            f"Fixed signature: {vs(train.GRAPH_FIXED, train.GRAPH_DEFAULT)}. The graphs are "
            "the same; a signature saves traces. A batch of another size, as the last of an epoch, "
            f"took {default.new_shape_s:.2f} s by default ({default.traces} traces) and "
            f"{fixed.new_shape_s:.2f} s with the signature ({fixed.traces} trace)."
        ),
        (
            f"XLA: {vs(train.XLA, train.GRAPH_FIXED)}. It compiles anew for each shape: the "
            f"first round took {xla.first_s:.1f} s ({fixed.first_s:.1f} s without XLA), another "
            f"batch size {xla.new_shape_s:.1f} s."
        ),
        (
            f"Fused batch norm: {vs(train.FUSED, train.GRAPH_FIXED)}. Keras 3 writes batch "
            "norm as seven operations that each pass over the image."
        ),
        (
            f"bfloat16: {vs(train.BF16, train.GRAPH_FIXED)}; with both, "
            f"{vs(train.FUSED_BF16, train.GRAPH_FIXED)}."
        ),
        (
            f"Keras' own loop: {vs(train.GRAPH_FIXED, train.FIT)}. `fit` runs a graph too; "
            "what makes a step slow is run_eagerly, not `fit`."
        ),
        f"Data: the fastest row waits for its batches {100 * waits:.1f} % of an epoch.",
        (
            "The article gives the step 33.6 % less time by tf.function and 45.8 % less by XLA "
            "with a fixed signature (V100), and credits the signature: see above what that does. "
            "Its accuracies (97.21, 97.23, 97.25 %) differ by a few validation photos, "
            "which no mode causes."
        ),
    ]


def preprocess_findings(by: By) -> list[str]:
    """What table 6.1 says."""
    vs = partial(compared, by)
    return [
        (
            f"tf.function: {vs(pre.LOOP_DEFAULT, pre.LOOP_EAGER)}. A photo is some dozens "
            "of operations (EXIF, decoding, resizing), each called from Python or all at once."
        ),
        (
            f"Fixed signature: {vs(pre.LOOP_FIXED, pre.LOOP_DEFAULT)}; in a pipeline, "
            f"{vs(pre.MAP_FIXED, pre.MAP)}. tf.data traces any function once and runs a "
            "graph: decorating it gives the same graph."
        ),
        (
            f"py_function: {vs(pre.PY_FUNCTION, pre.MAP)}. It takes each photo back to "
            "Python, one at a time."
        ),
        (
            f"Parallel: {vs(pre.PARALLEL, pre.MAP)}, with "
            f"{by[pre.PARALLEL].cores:.1f} cores busy instead of {by[pre.MAP].cores:.1f}."
        ),
        (f"Cache: {vs(pre.CACHED, pre.PARALLEL)}: from the second epoch on nothing is decoded."),
        (
            "The article gives an epoch 33.5 % less time for tf.function on map_fn and 46.7 % less "
            "with a fixed signature, and credits kernel fusion. `Dataset.map` was a graph before "
            "it was decorated; the rows say what does change it."
        ),
    ]
