"""Claims 40, 41, 57 and 73: models, optimizers and variables beside an input signature."""

from collections.abc import Callable
from functools import partial

import keras
import numpy as np
import tensorflow as tf

from graphmode.claims.claim import Finding, Verdict, claim
from graphmode.claims.observing import brief, count_of, error_of

_FEATURES = tf.TensorSpec([None, 4], tf.float32)
_LABELS = tf.TensorSpec([None], tf.int32)


@claim(
    number=40,
    section="3.3",
    text="`train_step_fixed(model, x, y)` takes an `input_signature` for x and y.",
    expected=Verdict.WRONG,
    right_way=(
        "A signature covers every argument. Close over the model, or make the step a method, "
        "whose first parameter must be called `self`:\n"
        "```python\n"
        "class Trainer(tf.Module):\n"
        "    @tf.function(input_signature=[images, labels])\n"
        "    def step(self, image, label): ...\n"
        "```"
    ),
)
def _a_signature_beside_the_model() -> Finding:
    signature = [_FEATURES, _LABELS]

    def train_step_fixed(model: keras.Model, x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        return tf.reduce_mean(model(x)) + tf.cast(tf.reduce_sum(y), tf.float32)

    class Trainer(tf.Module):
        def step(self, x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
            return train_step_fixed(tf.identity, x, y)

        def renamed(this, x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:  # noqa: N805 -- it is the case
            return train_step_fixed(tf.identity, x, y)

    model_error, method_error, renamed_error = (
        error_of(partial(tf.function, function, input_signature=signature))
        for function in (train_step_fixed, Trainer.step, Trainer.renamed)
    )
    return Finding(
        verdict=Verdict.HOLDS if model_error is None else Verdict.WRONG,
        happens=(
            f"At the decoration: `{brief(model_error)}`. A method with `self`: "
            f"{brief(method_error)}; the same with its first parameter called `this`: "
            f"`{brief(renamed_error)}`."
        ),
    )


@claim(
    number=41,
    section="3.3",
    text="With the batch open in the signature, there is one graph.",
    expected=Verdict.PART,
    right_way=(
        "Only if the optimizer has its variables already:\n"
        "```python\n"
        "optimizer.build(model.trainable_variables)\n"
        "```\n"
        "before the first call. A second model needs an optimizer, and a step, of its own."
    ),
)
def _one_graph_with_the_batch_open() -> Finding:
    built, unbuilt = _step(is_built=True), _step(is_built=False)
    for batch in (8, 5):
        for step in (built, unbuilt):
            step(tf.zeros([batch, 4]), tf.zeros([batch], tf.int32))
    with_build, without = (step.experimental_get_tracing_count() for step in (built, unbuilt))
    as_tensor = error_of(lambda: built(tf.zeros([2, 4]), tf.zeros([2], tf.int64)))
    as_array = error_of(lambda: built(np.zeros([2, 4]), np.zeros([2], np.int64)))
    verdicts = {(1, 1): Verdict.HOLDS, (1, 2): Verdict.PART}
    return Finding(
        verdict=verdicts.get((with_build, without), Verdict.WRONG),
        happens=(
            f"Batches of 8 and 5: {count_of(with_build, 'trace')} with the optimizer built "
            f"before, {count_of(without, 'trace')} without. A second model with the same "
            f"optimizer: `{brief(error_of(_second_model_of_an_optimizer))}`. Labels of int64 for "
            f"a signature of int32: `{brief(as_tensor)}` as a tensor, {brief(as_array)} (cast "
            "without a word) as a numpy array."
        ),
    )


@claim(
    number=57,
    section="5",
    text=(
        "A variable made inside the function raises `FailedPreconditionError`: it is uninitialized."
    ),
    expected=Verdict.OUTDATED,
    right_way=(
        "A session raised that. Now it is a `ValueError`, from the tracing: make the variable "
        "outside and close over it, or pass it in."
    ),
)
def _a_variable_made_inside() -> Finding:
    @tf.function
    def made_inside(x: tf.Tensor) -> tf.Tensor:
        return tf.Variable(1.0) * x

    @tf.function
    def passed_in(variable: tf.Variable, x: tf.Tensor) -> tf.Tensor:
        return variable * x

    error = error_of(lambda: made_inside(tf.constant(2.0)))
    products = [float(passed_in(tf.Variable(value), tf.constant(2.0))) for value in (3.0, 4.0)]
    verdicts = {tf.errors.FailedPreconditionError: Verdict.HOLDS, type(None): Verdict.WRONG}
    return Finding(
        verdict=verdicts.get(type(error), Verdict.OUTDATED),
        happens=(
            f"`{brief(error)}`. Two variables passed in, 3 and 4, times 2: {products}, "
            f"{count_of(passed_in.experimental_get_tracing_count(), 'trace')}."
        ),
    )


@claim(
    number=73,
    section="3.1",
    text="A train step may take the model as an argument.",
    expected=Verdict.HOLDS,
    right_way=(
        "As claimed, but each object is a trace of its own, kept as long as the function: close "
        "over a model that stays the same."
    ),
)
def _the_model_as_an_argument() -> Finding:
    @tf.function
    def mean(model: keras.Model, x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_mean(model(x))

    models, x = [_network() for _ in range(3)], tf.ones([2, 4])
    eager = [float(tf.reduce_mean(model(x))) for model in models]
    graph = [float(mean(model, x)) for _ in range(2) for model in models]
    is_right = np.allclose(graph, eager * 2, atol=1e-5)
    return Finding(
        verdict=Verdict.HOLDS if is_right else Verdict.WRONG,
        happens=(
            f"{len(models)} models, called twice each: "
            f"{'the eager results' if is_right else f'{graph} for {eager}'}, "
            f"{count_of(mean.experimental_get_tracing_count(), 'trace')}."
        ),
    )


def _network() -> keras.Model:
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(2)])


def _step(*, is_built: bool) -> tf.types.experimental.PolymorphicFunction:
    """Make a train step with open batch size: one trace if the optimizer is built."""
    model, optimizer = _network(), keras.optimizers.SGD(0.1, momentum=0.9)
    if is_built:
        optimizer.build(model.trainable_variables)
    update = _update_of(optimizer)

    @tf.function(input_signature=[_FEATURES, _LABELS])
    def step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        return update(model, x, y)

    return step


def _update_of(
    optimizer: keras.optimizers.Optimizer,
) -> Callable[[keras.Model, tf.Tensor, tf.Tensor], tf.Tensor]:
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def update(model: keras.Model, x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    return update


def _second_model_of_an_optimizer() -> None:
    update = tf.function(_update_of(keras.optimizers.SGD(0.1, momentum=0.9)))
    for model in (_network(), _network()):
        update(model, tf.zeros([2, 4]), tf.zeros([2], tf.int32))
