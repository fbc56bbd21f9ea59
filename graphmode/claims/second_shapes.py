"""Claims 38, 39, 42, 54 and 56: shapes that are open, fixed or wrong."""

import re

import keras
import tensorflow as tf

from graphmode.claims.claim import Finding, Verdict, claim
from graphmode.claims.observing import brief, count_of, error_of
from graphmode.claims.subject import small_resnet, some_photos, train_step


@claim(
    number=38,
    section="3.2",
    text="`tf.reshape(x, [tf.shape(x)[0], -1])` is how to flatten in a graph.",
    expected=Verdict.PART,
    right_way=(
        "It works, but what follows no longer knows the width, and a `Dense` layer needs it. Take "
        "what is known from `x.shape` and leave the batch open:\n"
        "```python\n"
        "tf.reshape(x, [-1, x.shape[1] * x.shape[2]])\n"
        "```"
    ),
)
def _flatten_by_the_dynamic_shape() -> Finding:
    spec = tf.TensorSpec([None, 28, 28], tf.float32)
    dynamic = tf.function(lambda x: tf.reshape(x, [tf.shape(x)[0], -1]), input_signature=[spec])
    mixed = tf.function(
        lambda x: tf.reshape(x, [-1, x.shape[1] * x.shape[2]]), input_signature=[spec]
    )
    sizes = [dynamic(tf.zeros([batch, 28, 28])).shape.as_list() for batch in (2, 3)]
    known, kept = (
        each.get_concrete_function().structured_outputs.shape for each in (dynamic, mixed)
    )
    works = sizes == [[2, 784], [3, 784]]
    return Finding(
        verdict=_verdict_of(is_true=works, is_whole=known[1] is not None),
        happens=(
            f"With the batch open in the signature two batches give {sizes}. What the graph knows "
            f"of the result is {known}; with the width from `x.shape` it is {kept}."
        ),
    )


@claim(
    number=39,
    section="3.3",
    text="Without a signature, a train step is traced again for each batch size.",
    expected=Verdict.HOLDS,
    right_way=(
        "As claimed, and the last batch of an epoch is the usual case: leave the batch open in "
        "`input_signature`, or drop the remainder."
    ),
)
def _a_trace_for_each_batch_size() -> Finding:
    step = tf.function(train_step(small_resnet()))
    for batch in (16, 7, 16):
        step(*map(tf.constant, some_photos(batch)))
    traces = step.experimental_get_tracing_count()
    return Finding(
        verdict=Verdict.HOLDS if traces == 2 else Verdict.WRONG,
        happens=f"Batches of 16, 7 and 16 photos: {count_of(traces, 'trace')}.",
    )


@claim(
    number=42,
    section="3.3",
    text="A signature with fixed height and width cannot be used with pictures of several sizes.",
    expected=Verdict.HOLDS,
    right_way=(
        "As claimed. Leave the sizes open (`[None, None, None, 3]`) where the network allows it, "
        "or resize before the call."
    ),
)
def _fixed_sizes_and_many_scales() -> Finding:
    def mean(image: tf.Tensor) -> tf.Tensor:
        return tf.reduce_mean(image, [1, 2])

    fixed, open_sizes = (
        tf.function(mean, input_signature=[tf.TensorSpec(shape, tf.float32)])
        for shape in ([None, 224, 224, 3], [None, None, None, 3])
    )
    photos = [tf.zeros([1, size, size, 3]) for size in (224, 256)]
    fixed_error = error_of(lambda: [fixed(photo) for photo in photos])
    open_error = error_of(lambda: [open_sizes(photo) for photo in photos])
    return Finding(
        verdict=Verdict.HOLDS if fixed_error is not None else Verdict.WRONG,
        happens=(
            f"224 and 256 pixels: `{brief(fixed_error)}` with 224 in the signature, "
            f"{brief(open_error)} and "
            f"{count_of(open_sizes.experimental_get_tracing_count(), 'trace')} with open sizes."
        ),
    )


@claim(
    number=54,
    section="5",
    text="A signature of `[None, None, None, 3]` breaks convolutions, which need a fixed size.",
    expected=Verdict.WRONG,
    right_way=(
        "A convolution needs the channels, not the size. What needs the size is `Flatten` before "
        "`Dense`: end in `GlobalAveragePooling2D`, or fix the size."
    ),
    aside=(
        "A Functional model checks the size that it was built for only where the graph knows the "
        "size: put `tf.ensure_shape` into a signature with open sizes."
    ),
)
def _open_sizes_and_convolutions() -> Finding:
    pooled = keras.Sequential(
        [
            keras.layers.Conv2D(4, 3),
            keras.layers.GlobalAveragePooling2D(),
            keras.layers.Dense(2),
        ]
    )
    pooled.build([None, None, None, 3])
    spec = tf.TensorSpec([None, None, None, 3], tf.float32)
    forward = tf.function(pooled, input_signature=[spec])
    photos = [tf.zeros([1, size, size, 3]) for size in (32, 48)]
    error = error_of(lambda: [forward(photo) for photo in photos])
    flat_error = error_of(_build_flat_on_open_sizes)
    sized, other = small_resnet(), tf.zeros([1, 32, 32, 3])
    eager_other = error_of(lambda: sized(other))
    open_other = error_of(lambda: tf.function(sized, input_signature=[spec])(other))
    return Finding(
        verdict=Verdict.WRONG if error is None else Verdict.HOLDS,
        happens=(
            f"Convolution, pooling and `Dense` with open sizes, called with 32 and 48 pixels: "
            f"{brief(error)}, {count_of(forward.experimental_get_tracing_count(), 'trace')}. "
            f"`Flatten` and `Dense` on open sizes: `{brief(flat_error)}`. A Functional network "
            f"built for 64 pixels, called with 32: `{brief(eager_other)}` eagerly, "
            f"{brief(open_other)} in a graph with open sizes."
        ),
    )


@claim(
    number=56,
    section="5",
    text=(
        "Reshaping 128 numbers as if they were 256 fails because the shape is fixed in the graph; "
        "`[tf.shape(x)[0], -1]` mends it."
    ),
    expected=Verdict.PART,
    right_way=(
        "It fails because the number of elements does not fit, eagerly too. Find out which shape "
        "was meant; another one that fits has another meaning."
    ),
)
def _reshape_that_does_not_fit() -> Finding:
    def as_rows(x: tf.Tensor) -> tf.Tensor:
        return tf.reshape(x, [-1, 256])

    def mended(x: tf.Tensor) -> tf.Tensor:
        return tf.reshape(x, [tf.shape(x)[0], -1])

    x = tf.zeros([128])
    graph = tf.function(as_rows, input_signature=[tf.TensorSpec([None], tf.float32)])
    graph_error, eager_error = error_of(lambda: graph(x)), error_of(lambda: as_rows(x))
    shapes = [tf.function(mended)(tf.zeros([size])).shape.as_list() for size in (128, 256)]
    explained = eager_error is None and shapes[1] == as_rows(tf.zeros([256])).shape.as_list()
    return Finding(
        verdict=_verdict_of(is_true=graph_error is not None, is_whole=explained),
        happens=(
            f"128 numbers into rows of 256: `{_told(graph_error)}` in a graph, "
            f"`{_told(eager_error)}` eagerly. Mended so, 128 and 256 numbers become {shapes[0]} "
            f"and {shapes[1]}, where one row of 256 was meant."
        ),
    )


def _build_flat_on_open_sizes() -> keras.Model:
    image = keras.Input((None, None, 3))
    return keras.Model(image, keras.layers.Dense(2)(keras.layers.Flatten()(image)))


def _told(error: Exception | None) -> str:
    """Give what an operation says, without the nodes around it."""
    told = re.search(r"Input to reshape[^\n\[]*", str(error))
    return told[0].strip() if told else brief(error)


def _verdict_of(*, is_true: bool, is_whole: bool) -> Verdict:
    if not is_true:
        return Verdict.WRONG
    return Verdict.HOLDS if is_whole else Verdict.PART
