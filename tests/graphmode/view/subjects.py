"""Functions to view. Tests find lines in here by their text, so lines may move."""

import functools

import keras
import tensorflow as tf

VECTOR = [tf.TensorSpec([None], tf.float32)]


def doubled_to_ten(x):
    while tf.reduce_sum(x) < 10.0:
        x = x * 2
    return x


def looped_over_halves(x):
    for _ in range(2):  # calls a loop
        x = doubled_to_ten(x / 100)
    return x


def spread_over_lines(x):
    return tf.cond(
        x > 0.0,
        lambda: x,
        lambda: -x if x < 1e9 else x,  # inside a statement
    )


@tf.autograph.experimental.do_not_convert
def kept(x):
    return x if x is not None else 0


def counted(xs):
    yield from xs


@tf.function(input_signature=VECTOR)
def everything(x):
    """Has <b>every</b> kind of control flow."""
    if tf.reduce_sum(x) > 0.0:  # tensor if
        y = doubled_to_ten(x)
        y += 1.0
    else:
        y = tf.square(
            x,
        )
    for i in tf.range(3):  # tensor for
        if i == 2:
            break
        y += 1.0
    for step in range(2):  # python for
        y += float(step)
    total = sum([v + 1 for v in range(3)])
    assert x is not None
    y = kept(y)
    for _ in counted([1]):
        y = tf.identity(y)
    return y if not tf.reduce_any(0.0 < y[0] < 3.0) else -y + total


one, other = (lambda x: x + 1), (lambda x: x + 1)
sign = lambda x: x if x > 0 else -x  # noqa: E731

_made = {"tf": tf}
exec("def from_exec(x):\n    return x if x > 0 else -x\n", _made)
from_exec = _made["from_exec"]


@tf.function(autograph=False)
def told_not_to(x):
    return tf.abs(x)


concrete = everything.get_concrete_function()


@functools.lru_cache
def cached(x):
    return x if x is not None else 0


class Halving(tf.Module):
    @tf.function
    def halved(self, x):
        return self.lowered(x) if tf.reduce_sum(x) > 0 else x

    def lowered(self, x):
        return doubled_to_ten(x) / 2

    @staticmethod
    def plain(x):
        return x.size


halving = Halving()
with_five = functools.partial(doubled_to_ten, 5.0)


class Rectifier(keras.layers.Layer):
    def call(self, x):
        if tf.reduce_sum(x) > 0:
            return x
        return -x


class GraphRectifier(keras.layers.Layer):
    @tf.function
    def call(self, x):
        if tf.reduce_sum(x) > 0:
            return x
        return -x


class Trained(keras.Model):
    def train_step(self, data):
        return {"loss": data if data > 0 else -data}


rectifier = Rectifier()
trained = Trained()
graph_rectifier = GraphRectifier()


def uses_a_layer(x):
    return rectifier(x)
