"""Which functions are read as graphs; the mark of it is that a print in them is found."""

import pytest

GRAPHS = {
    "decorated": """
import tensorflow as tf
@tf.function
def step(x):
    print(x)
""",
    "decorated with settings": """
import tensorflow as tf
@tf.function(reduce_retracing=True)
def step(x):
    print(x)
""",
    "by another name of the module": """
import tensorflow as T
@T.function
def step(x):
    print(x)
""",
    "by an imported name": """
from tensorflow import function as graph
@graph
def step(x):
    print(x)
""",
    "by an alias": """
import tensorflow.compat.v2 as tf
graph = tf.function
@graph
def step(x):
    print(x)
""",
    "by a module that hands tensorflow on": """
from library.lazy import tensorflow as tf
@tf.function
def step(x):
    print(x)
""",
    "by partial": """
import functools
import tensorflow as tf
@functools.partial(tf.function, jit_compile=True)
def step(x):
    print(x)
""",
    "wrapped": """
import tensorflow as tf
def step(x):
    print(x)
step = tf.function(step)
""",
    "wrapped by a function of the file": """
import tensorflow as tf
def in_graph(mode, step):
    return step if mode == "eager" else tf.function(step)
def make(mode):
    def step(x):
        print(x)
    return in_graph(mode, step)
""",
    "a wrapped method": """
import tensorflow as tf
class Learner:
    def __init__(self):
        self.graph = tf.function(self.step)
    def step(self, x):
        print(x)
""",
    "a wrapped lambda": """
import tensorflow as tf
step = tf.function(lambda x: print(x))
""",
    "mapped over a dataset": """
import tensorflow as tf
def parse(x):
    print(x)
pairs = tf.data.Dataset.range(3).map(parse, num_parallel_calls=2).batch(2)
""",
    "mapped over what was made a dataset before": """
import tensorflow as tf
def make():
    files = tf.data.TFRecordDataset("a").shuffle(10)
    return files.map(lambda x: print(x))
""",
    "mapped in parallel over what is handed in": """
import tensorflow as tf
class Photos:
    def pairs(self):
        return self._files.map(self._read, tf.data.AUTOTUNE)
    def _read(self, path):
        print(path)
""",
    "mapped over batches of what is handed in": """
import tensorflow as tf
def make(photos):
    return photos.shuffled().batch(2).enumerate().map(lambda number, x: print(x))
""",
    "called by a graph": """
import tensorflow as tf
def inner(x):
    print(x)
@tf.function
def step(x):
    inner(x)
""",
    "a method called by a graph": """
import tensorflow as tf
class Learner:
    @tf.function
    def step(self, x):
        self.inner(x)
    def inner(self, x):
        print(x)
""",
    "a branch of tf.cond": """
import tensorflow as tf
@tf.function
def step(x):
    def yes():
        print(x)
    return tf.cond(x > 0, yes, lambda: x)
""",
    "run by a strategy": """
import tensorflow as tf
@tf.function
def step(strategy, x):
    def replica(x):
        print(x)
    strategy.run(replica, args=(x,))
""",
    "a Keras layer's call": """
import keras
class Layer(keras.layers.Layer):
    def call(self, inputs):
        print(inputs)
""",
    "train_step of a class below a Keras model": """
from tensorflow import keras
class Base(keras.Model):
    pass
class Trainer(Base):
    def train_step(self, data):
        print(data)
""",
}

NO_GRAPHS = {
    "a plain function": """
import tensorflow as tf
def step(x):
    print(x)
""",
    "another library's decorator": """
from other import function
@function
def step(x):
    print(x)
""",
    "map of a pool": """
import tensorflow as tf
def parse(x):
    print(x)
def run(pool):
    return pool.map(parse, [1, 2])
""",
    "py_function": """
import tensorflow as tf
@tf.function
def step(x):
    def show(x):
        print(x)
    return tf.py_function(show, [x], tf.float32)
""",
    "a parameter named as the module": """
import tensorflow as tf
def make(tf):
    @tf.function
    def step(x):
        print(x)
    return step
""",
    "an eager branch": """
import tensorflow as tf
@tf.function
def step(x):
    if tf.executing_eagerly():
        print(x)
""",
    "the branch beside a graph's": """
import tensorflow as tf
@tf.function
def step(x):
    if not tf.executing_eagerly():
        return x
    else:
        print(x)
""",
    "init_scope": """
import tensorflow as tf
@tf.function
def step(x):
    with tf.init_scope():
        print(x)
""",
    "a print of the module's own": """
import tensorflow as tf
def print(x):
    return x
@tf.function
def step(x):
    print(x)
""",
    "train_step of a model that compiles itself as eager": """
import keras
class Model(keras.Model):
    def compile(self, **settings):
        super().compile(run_eagerly=True, **settings)
    def train_step(self, data):
        print(data)
""",
    "call of another class": """
import keras
class Shop:
    def call(self, customer):
        print(customer)
""",
}


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_is_recognised(name, codes_in):
    assert codes_in(GRAPHS[name]) == ["GM101"]


@pytest.mark.parametrize("name", NO_GRAPHS)
def test_what_is_no_graph_is_left_alone(name, codes_in):
    assert codes_in(NO_GRAPHS[name]) == []


def test_a_called_function_is_judged_by_what_it_is_given(codes_in):
    text = """
import numpy as np
import tensorflow as tf
def scaled(value):
    return np.square(value)
@tf.function
def step(x: tf.Tensor):
    return x * scaled({argument})
"""
    assert codes_in(text.format(argument="x")) == ["GM301"]
    assert codes_in(text.format(argument="2.0")) == []


def test_a_function_given_tensors_and_numbers_is_not_judged(codes_in):
    text = """
import numpy as np
import tensorflow as tf
def scaled(value):
    return np.square(value)
@tf.function
def step(x: tf.Tensor):
    return scaled(x) + scaled(2.0)
"""
    assert codes_in(text) == []


def test_the_message_says_who_calls(tmp_path):
    from graphmode.lint.checking import check_text, chosen_codes  # noqa: PLC0415

    text = GRAPHS["called by a graph"]
    (finding,) = check_text(tmp_path / "module.py", text, chosen_codes("", "")).findings
    assert finding.message.endswith("(`inner` is called by `step`)")
    assert (finding.line, finding.column) == (4, 5)
