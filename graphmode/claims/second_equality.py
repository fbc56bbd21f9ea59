"""Claims 43 to 47: timestamps in a graph, and whether eager and graph give the same."""

import time
from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context

from graphmode.claims.claim import Finding, Verdict, claim
from graphmode.claims.observing import brief, error_of
from graphmode.claims.stopwatch import median_times_s
from graphmode.claims.subject import small_resnet, some_photos, train_step

_RTOL, _ATOL = 1e-5, 1e-8
_STEPS = 10


@claim(
    number=43,
    section="3.4",
    text="`tf.timestamp()` gives nanoseconds.",
    expected=Verdict.WRONG,
    right_way="It gives seconds since 1970, as float64: multiply by 1e9, or keep to seconds.",
)
def _unit_of_a_timestamp() -> Finding:
    stamp = tf.timestamp()
    in_seconds = abs(float(stamp) - time.time())
    in_nanoseconds = abs(float(stamp) - time.time_ns())
    return Finding(
        verdict=Verdict.HOLDS if in_nanoseconds < in_seconds else Verdict.WRONG,
        happens=(
            f"`tf.timestamp()` is {float(stamp):.6f}, {stamp.dtype.name}: {in_seconds:.1g} from "
            "the clock's seconds. A float64 of this size goes in steps of "
            f"{np.spacing(float(stamp)) * 1e6:.2g} microseconds."
        ),
    )


@claim(
    number=44,
    section="3.4",
    text="`tf.timestamp()` before and after the step, in the graph, times the step.",
    expected=Verdict.WRONG,
    needs_timing=True,
    right_way=(
        "In a graph nothing says that the work lies between them. Time outside, and wait for the "
        "output:\n"
        "```python\n"
        "begin = time.perf_counter()\n"
        "step(image, label).numpy()\n"
        "taken_s = time.perf_counter() - begin\n"
        "```\n"
        "In the graph, tie both: the work to the first (`with tf.control_dependencies([begin]): "
        "y = work(tf.identity(x))`), the second to the output (`with "
        "tf.control_dependencies([y]): end = tf.timestamp()`)."
    ),
)
def _timestamps_around_a_step() -> Finding:
    @tf.function
    def as_claimed(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        begin = tf.timestamp()
        y = _work(x)
        end = tf.timestamp()
        return y, end - begin

    @tf.function
    def tied(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        begin = tf.timestamp()
        with tf.control_dependencies([begin]):
            y = _work(tf.identity(x))
        with tf.control_dependencies([y]):
            end = tf.timestamp()
        return y, end - begin

    x = tf.fill([400, 400], 0.001)
    (outside_s,) = median_times_s(lambda: float(as_claimed(x)[0][0, 0]), rounds=7)
    loose_s, tied_s = (
        float(np.median([float(function(x)[1]) for _ in range(7)]))
        for function in (as_claimed, tied)
    )
    return Finding(
        verdict=Verdict.HOLDS if loose_s > 0.5 * outside_s else Verdict.WRONG,
        happens=(
            f"Around work that takes {outside_s * 1e3:.1f} ms the two timestamps are "
            f"{loose_s * 1e3:.3f} ms apart; tied to the input and the output, "
            f"{tied_s * 1e3:.1f} ms."
        ),
    )


@claim(
    number=45,
    section="3.4",
    text=(
        "`tf.debugging.assert_near(eager, graph, rtol=1e-5, atol=1e-8)` shows that the graph does "
        "the same."
    ),
    expected=Verdict.PART,
    right_way=(
        "Of a forward pass. A train step changes the model, so the second call starts elsewhere: "
        "copy the weights, compare the first step's loss and gradients, and give bf16 a tolerance "
        "of its own. `graphmode.agreement` does so."
    ),
    aside=(
        "A larger network drifts sooner: with ResNet-18 the losses differed by 1e-7 of themselves "
        "at step 1 and by 9e-3 at step 5."
    ),
)
def _equality_within_the_tolerance() -> Finding:
    image, label = map(tf.constant, some_photos())
    forward_difference = _forward_difference(image)
    as_written = _seeded_resnet()
    step = train_step(as_written)
    same_model_error = _difference_error(step(image, label), tf.function(step)(image, label))
    differences = _step_differences(image, label)
    outside = [number for number, value in enumerate(differences, 1) if value > _RTOL]
    passes = (forward_difference <= _RTOL, same_model_error is None and not outside)
    verdicts = {(True, True): Verdict.HOLDS, (True, False): Verdict.PART}
    return Finding(
        verdict=verdicts.get(passes, Verdict.WRONG),
        happens=(
            f"The logits differ by {forward_difference:.1g} of the largest. A train step, called "
            f"eagerly and then as a graph on the same model: "
            f"`{brief(same_model_error)}`. From copied weights the loss differs by "
            f"{differences[0]:.1g} of itself at step 1 and by {differences[-1]:.1g} at step "
            f"{len(differences)}; {_first_outside(outside)}."
        ),
    )


@claim(
    number=46,
    section="3.4",
    text="Unseeded `tf.random` in a graph is drawn at the trace, and stays.",
    expected=Verdict.WRONG,
    right_way=(
        "`tf.random` draws at each call. What stays is what Python draws: `np.random`, `random`, "
        "`time`, `next(iterator)`. `python -m graphmode probe` finds it."
    ),
)
def _randomness_in_a_graph() -> Finding:
    @tf.function
    def drawn() -> tuple[tf.Tensor, tf.Tensor]:
        return tf.random.uniform([]), tf.constant(np.random.rand())

    state = np.random.get_state()
    try:
        (first, first_np), (second, second_np) = (tuple(map(float, drawn())) for _ in range(2))
    finally:
        np.random.set_state(state)
    return Finding(
        verdict=Verdict.HOLDS if first == second else Verdict.WRONG,
        happens=(
            f"Two calls: `tf.random.uniform` gives {first:.3f} and {second:.3f}, `np.random.rand` "
            f"{first_np:.3f} and {second_np:.3f}."
        ),
    )


@claim(
    number=47,
    section="3.4",
    text="With `seed=42` eager and graph draw the same.",
    expected=Verdict.PART,
    right_way=(
        "Only after `tf.random.set_seed` before each run, and with another seed for each "
        "operation. `tf.random.stateless_uniform(shape, seed=[1, 2])` needs neither; XLA may draw "
        "other numbers all the same."
    ),
)
def _seeded_randomness() -> Finding:
    kept = context.global_seed()
    try:
        distinct = [_drawn_after_reset(_of_seeds(42, 43), how) for how in (_as_is, tf.function)]
        equal = [_drawn_after_reset(_of_seeds(42, 42), how) for how in (_as_is, tf.function)]
        draw = _of_seeds(42, 43)
        _drawn_after_reset(draw, _as_is)
        no_reset = [_rounded(draw()), _rounded(tf.function(draw)())]
    finally:
        tf.random.set_seed(kept)
    stateless = [_rounded(how(_stateless)()) for how in (_as_is, tf.function, _compiled)]
    is_same = distinct[0] == distinct[1], equal[0] == equal[1] and no_reset[0] == no_reset[1]
    verdicts = {(True, True): Verdict.HOLDS, (True, False): Verdict.PART}
    return Finding(
        verdict=verdicts.get(is_same, Verdict.WRONG),
        happens=(
            f"After `tf.random.set_seed`, seeds 42 and 43 draw {distinct[0]} eagerly, "
            f"{distinct[1]} in a graph; 42 twice, {equal[0]} and {equal[1]}. With 42 and 43, and "
            f"not set again: {no_reset[0]} and {no_reset[1]}. Stateless: {stateless[0]}, "
            f"{stateless[1]}, and {stateless[2]} with XLA."
        ),
    )


def _work(x: tf.Tensor) -> tf.Tensor:
    for _ in range(30):
        x = tf.tanh(x @ x)
    return x


def _seeded_resnet() -> keras.Model:
    draw = np.random.default_rng(3)
    model = small_resnet()
    for weight in model.trainable_weights:
        if len(weight.shape) > 1:
            deviation = np.sqrt(2 / np.prod(weight.shape[:-1]))
            weight.assign(draw.normal(0, deviation, weight.shape))
    return model


def _forward_difference(image: tf.Tensor) -> float:
    """Compare logits, eager and graph; relative to the largest."""
    model = _seeded_resnet()
    eager, graph = model(image).numpy(), tf.function(model)(image).numpy()
    return float(np.abs(eager - graph).max() / np.abs(eager).max())


def _step_differences(image: tf.Tensor, label: tf.Tensor) -> list[float]:
    """Train from the same weights, eagerly and as a graph; the losses' relative differences."""
    eager, graph = train_step(_seeded_resnet()), tf.function(train_step(_seeded_resnet()))
    pairs = [(float(eager(image, label)), float(graph(image, label))) for _ in range(_STEPS)]
    return [abs(left - right) / abs(left) for left, right in pairs]


def _difference_error(left: tf.Tensor, right: tf.Tensor) -> Exception | None:
    return error_of(lambda: tf.debugging.assert_near(left, right, rtol=_RTOL, atol=_ATOL))


def _first_outside(steps: list[int]) -> str:
    return f"step {steps[0]} is the first outside the tolerance" if steps else "all are within"


Draw = Callable[[], tuple[tf.Tensor, tf.Tensor]]
"""Draws two numbers."""


def _of_seeds(first: int, second: int) -> Draw:
    def draw() -> tuple[tf.Tensor, tf.Tensor]:
        return tf.random.uniform([], seed=first), tf.random.uniform([], seed=second)

    return draw


def _stateless() -> tuple[tf.Tensor, tf.Tensor]:
    return (
        tf.random.stateless_uniform([], seed=[1, 2]),
        tf.random.stateless_uniform([], seed=[1, 3]),
    )


def _as_is(draw: Draw) -> Draw:
    return draw


def _compiled(draw: Draw) -> Draw:
    return tf.function(draw, jit_compile=True)


def _drawn_after_reset(draw: Draw, how: Callable[[Draw], Draw]) -> tuple[float, ...]:
    tf.random.set_seed(7)
    return _rounded(how(draw)())


def _rounded(drawn: tuple[tf.Tensor, tf.Tensor]) -> tuple[float, ...]:
    return tuple(round(float(each), 3) for each in drawn)
