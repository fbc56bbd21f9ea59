"""Claims 3, 25 to 27 and 37: arguments, data sets and shapes."""

import warnings
from collections.abc import Callable

import tensorflow as tf

from graphmode.claims.claim import Finding, Verdict, claim
from graphmode.claims.observing import brief, count_of, error_of


@claim(
    number=3,
    section="1, 6.2",
    text=(
        "The epoch went from 28.3 s to 23.1 s because the preprocessing was made a graph too "
        "(section 1); because of XLA and a fixed signature (section 6.2)."
    ),
    expected=Verdict.WRONG,
    right_way=(
        "One time cannot have two causes, and the first cannot be one: what `Dataset.map` calls is "
        "a graph already. Change one thing a row, and write into the row which."
    ),
    aside=(
        "What XLA and the signature do is in claims 63 and 65. The article's percentages are right "
        "as sums: 42.6 s to 28.3 s is 33.6 % less, to 23.1 s 45.8 %."
    ),
)
def _two_causes_of_one_time() -> Finding:
    was_eager: list[bool] = []
    plain = _mapped(_note_and_double(was_eager))
    decorated = _mapped(tf.function(_note_and_double(was_eager)))
    return Finding(
        verdict=Verdict.HOLDS if was_eager[0] and not was_eager[1] else Verdict.WRONG,
        happens=(
            f"`Dataset.map` runs an undecorated function {_how(was_eager[0])} and a decorated one "
            f"{_how(was_eager[1])}: {plain} and {decorated}."
        ),
    )


@claim(
    number=25,
    section="3.1",
    text="Python integers and floats are fine as inputs.",
    expected=Verdict.WRONG,
    right_way=(
        "Each value is a trace of its own. Pass a tensor, or sign the argument, which makes "
        "tensors of Python numbers:\n"
        "```python\n"
        "@tf.function(input_signature=[tf.TensorSpec([], tf.float32)])\n"
        "def decay(learning_rate): ...\n"
        "```"
    ),
)
def _python_numbers_as_inputs() -> Finding:
    rates = (1e-3, 1e-4, 1e-5)
    scalar = tf.TensorSpec([], tf.float32)
    plain = tf.function(_half)
    wrapped = tf.function(_half)
    signed = tf.function(_half, input_signature=[scalar])
    for rate in rates:
        plain(rate)
        wrapped(tf.constant(rate))
        signed(rate)
    bare, as_tensors, with_signature = (
        each.experimental_get_tracing_count() for each in (plain, wrapped, signed)
    )
    return Finding(
        verdict=Verdict.HOLDS if bare == 1 else Verdict.WRONG,
        happens=(
            f"{len(rates)} learning rates: {bare} traces as Python floats, {as_tensors} as "
            f"tensors, {with_signature} as Python floats with an input signature."
        ),
    )


@claim(
    number=26,
    section="3.1",
    text="`tf.data.Dataset.from_tensor_slices` cannot be in a graph.",
    expected=Verdict.WRONG,
    right_way=(
        "It can, but what it is made of is then a constant in the graph: build the data set "
        "outside, and pass its elements in."
    ),
)
def _dataset_in_a_graph() -> Finding:
    @tf.function(input_signature=[])
    def total() -> tf.Tensor:
        found = tf.constant(0)
        for number in tf.data.Dataset.from_tensor_slices([1, 2, 3, 4]):
            found += number
        return found

    sums: list[int] = []
    error = error_of(lambda: sums.append(int(total())))
    return Finding(
        verdict=Verdict.WRONG if sums == [10] else Verdict.HOLDS,
        happens=f"Made and summed up in a `tf.function`, 1 to 4 give {sums or brief(error)}.",
    )


@claim(
    number=27,
    section="3.1",
    text="What `Dataset.map` calls must be decorated with `tf.function`.",
    expected=Verdict.WRONG,
    right_way=(
        "A plain function is traced by `map`, with AutoGraph, and never runs eagerly, even after "
        "`tf.config.run_functions_eagerly(True)`. Decorate it if the pipeline is built again and "
        "again: then it is traced once."
    ),
)
def _map_needs_a_decorated_function() -> Finding:
    was_eager: list[bool] = []
    plain, decorated = [], []
    for _ in range(3):
        plain = _mapped(_note_and_double(was_eager))
    plain_traces = len(was_eager)
    kept = tf.function(_note_and_double(was_eager))
    for _ in range(3):
        decorated = _mapped(kept)
    decorated_traces = len(was_eager) - plain_traces
    forced = _eager_in_map_when_forced()
    works = plain == decorated == [0, 2, 4] and not any(was_eager)
    return Finding(
        verdict=Verdict.WRONG if works else Verdict.HOLDS,
        happens=(
            f"A plain function gives {plain}, run {_how(any(was_eager))}, and "
            f"{_how(forced)} with functions set to run eagerly. Three builds of the pipeline trace "
            f"it {count_of(plain_traces, 'time')}, a decorated one "
            f"{count_of(decorated_traces, 'time')}."
        ),
    )


@claim(
    number=37,
    section="3.2",
    text="`tf.reshape(x, [x.shape[0], -1])` raises in a graph.",
    expected=Verdict.PART,
    right_way=(
        "Only where that dimension is open. Take each dimension from where it is known, so that "
        "as much as possible of the shape stays known:\n"
        "```python\n"
        "tf.reshape(x, [-1, x.shape[1] * x.shape[2]])\n"
        "```"
    ),
)
def _reshape_by_the_static_shape() -> Finding:
    unsigned = tf.function(_flat)
    unsigned_error = error_of(lambda: [unsigned(tf.zeros([size, 28, 28])) for size in (2, 3)])
    traces = unsigned.experimental_get_tracing_count()
    spec = tf.TensorSpec([None, 28, 28], tf.float32)
    signed_error = error_of(
        lambda: tf.function(_flat, input_signature=[spec])(tf.zeros([2, 28, 28]))
    )
    both = (signed_error is not None, unsigned_error is not None)
    verdicts = {(True, True): Verdict.HOLDS, (True, False): Verdict.PART}
    return Finding(
        verdict=verdicts.get(both, Verdict.WRONG),
        happens=(
            f"With the batch size open in the signature: `{brief(signed_error)}`. Without a "
            f"signature: {brief(unsigned_error)}, and {traces} traces for two batch sizes."
        ),
    )


def _half(x: tf.Tensor) -> tf.Tensor:
    return tf.convert_to_tensor(x) / 2


def _flat(x: tf.Tensor) -> tf.Tensor:
    return tf.reshape(x, [x.shape[0], -1])


def _note_and_double(was_eager: list[bool]) -> Callable[[tf.Tensor], tf.Tensor]:
    def double(number: tf.Tensor) -> tf.Tensor:
        was_eager.append(tf.executing_eagerly())
        return 2 * number

    return double


def _mapped(function: Callable[[tf.Tensor], tf.Tensor]) -> list[int]:
    return [int(number) for number in tf.data.Dataset.range(3).map(function)]


def _eager_in_map_when_forced() -> bool:
    was_eager: list[bool] = []
    tf.config.run_functions_eagerly(run_eagerly=True)
    try:
        with warnings.catch_warnings():
            # TensorFlow warns that the setting does not reach tf.data, which is what is shown.
            warnings.simplefilter("ignore")
            _mapped(_note_and_double(was_eager))
    finally:
        tf.config.run_functions_eagerly(run_eagerly=False)
    return any(was_eager)


def _how(is_eager: bool) -> str:  # noqa: FBT001 -- the words for one observation
    return "eagerly" if is_eager else "as a graph"
