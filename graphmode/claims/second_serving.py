"""Claims 67, 68, 70 and 74: servers and GPUs."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import tensorflow as tf

from graphmode.claims.claim import Finding, Verdict, claim
from graphmode.claims.observing import brief, error_of
from graphmode.claims.subject import small_resnet, some_photos, train_step

_OFFERED_PER_S = 100
_REQUESTS = 50
_TRITON_BACKENDS = Path("/opt/tritonserver/backends")
"""Where Triton's own image keeps them, a folder each."""


@claim(
    number=67,
    section="6.3",
    text="TensorFlow Serving can serve a model eagerly.",
    expected=Verdict.WRONG,
    right_way=(
        "It loads SavedModels, which hold graphs and no Python. An honest eager row is a Python "
        "web server that calls the model."
    ),
)
def _eager_in_tensorflow_serving() -> Finding:
    class Module(tf.Module):
        def eager(self, x: tf.Tensor) -> tf.Tensor:
            return x * 2

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def graph(self, x: tf.Tensor) -> tf.Tensor:
            return x * 2

    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Module(), folder)
        loaded = tf.saved_model.load(folder)
        eager_error, graph_error = (
            error_of(call)
            for call in (
                lambda: loaded.eager(tf.constant(1.0)),
                lambda: loaded.graph(tf.constant(1.0)),
            )
        )
        signatures = list(loaded.signatures)
    return Finding(
        verdict=Verdict.HOLDS if eager_error is None else Verdict.WRONG,
        happens=(
            f"Saved and loaded, a module's undecorated method: `{brief(eager_error)}`; its "
            f"`tf.function`: {brief(graph_error)}. Signatures to serve, where none was named: "
            f"{signatures}."
        ),
    )


@claim(
    number=68,
    section="6.3",
    text="At an offered load of 100 requests/s the graph server answered 427 requests/s.",
    expected=Verdict.WRONG,
    right_way=(
        "What is answered cannot be more than what is asked. Say which load it was: open (so many "
        "requests arrive a second, and latency shows the strain) or closed (so many callers, each "
        "waiting for its answer, and the rate shows it)."
    ),
)
def _more_answers_than_requests() -> Finding:
    twice = tf.function(lambda x: x * 2, input_signature=[tf.TensorSpec([], tf.float32)])
    x = tf.constant(1.0)
    twice(x)
    open_per_s = _answered_per_s(lambda: twice(x).numpy(), 1 / _OFFERED_PER_S)
    closed_per_s = _answered_per_s(lambda: twice(x).numpy(), 0.0)
    return Finding(
        verdict=Verdict.HOLDS if open_per_s > 1.1 * _OFFERED_PER_S else Verdict.WRONG,
        happens=(
            f"A small graph that is asked {_OFFERED_PER_S} times a second gives {open_per_s:.0f} "
            f"answers/s; asked again as soon as it has answered, {closed_per_s:.0f}."
        ),
    )


@claim(
    number=70,
    section="6.3",
    text="Triton requires a SavedModel.",
    expected=Verdict.UNTESTED,
    right_way=(
        "Look at what your Triton has a backend for: it has been built with ones for ONNX, "
        "TensorRT, PyTorch and Python, and newer releases have none for TensorFlow."
    ),
    aside="Tried only where Triton's backends are at `/opt/tritonserver/backends`.",
)
def _triton_requires_a_saved_model() -> Finding:
    folder = _TRITON_BACKENDS
    found = sorted(each.name for each in folder.iterdir()) if folder.is_dir() else []
    others = [name for name in found if name != "tensorflow"]
    tried = Verdict.WRONG if others else Verdict.HOLDS
    return Finding(
        verdict=tried if found else Verdict.UNTESTED,
        happens=f"Triton's backends found here: {', '.join(found) or 'none, there is no Triton'}.",
    )


@claim(
    number=74,
    section="6.1, 6.3",
    text="In a graph a GPU is used better, and serving takes 0.8 GB of memory instead of 1.2 GB.",
    expected=Verdict.UNTESTED,
    right_way=(
        "Measure it on your GPU. On a CPU, memory depends on the form of the model: weights as "
        "variables take about half of what a frozen graph takes in TensorFlow Serving."
    ),
    aside="The article's figures are from a V100 with 32 GB, and cannot be had on another device.",
)
def _gpu_use_and_memory() -> Finding:
    if not tf.config.list_physical_devices("GPU"):
        return Finding(
            verdict=Verdict.UNTESTED,
            happens="Here are 0 GPUs: neither its use nor its memory can be seen.",
        )
    peaks = [_peak_bytes(how) for how in (lambda step: step, tf.function)]
    return Finding(
        verdict=Verdict.HOLDS if peaks[1] < 0.9 * peaks[0] else Verdict.WRONG,
        happens=(
            f"A train step of a small residual network takes at most {peaks[0] / 1e6:.0f} MB of "
            f"the GPU's memory eagerly and {peaks[1] / 1e6:.0f} MB as a graph."
        ),
    )


def _answered_per_s(call: Callable[[], object], apart_s: float) -> float:
    """Ask so often, by the clock and not by the answers; answers a second."""
    begin = time.perf_counter()
    for number in range(_REQUESTS):
        due_s = begin + (number + 1) * apart_s
        time.sleep(max(0.0, due_s - time.perf_counter()))
        call()
    return _REQUESTS / (time.perf_counter() - begin)


def _peak_bytes(how: Callable[..., Callable[[tf.Tensor, tf.Tensor], tf.Tensor]]) -> int:
    image, label = map(tf.constant, some_photos())
    step = how(train_step(small_resnet()))
    step(image, label)
    tf.config.experimental.reset_memory_stats("GPU:0")
    step(image, label)
    return tf.config.experimental.get_memory_info("GPU:0")["peak"]
