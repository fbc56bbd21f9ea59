"""Correct code that looks like a fault: none of it may be flagged."""

import pytest

SIGNATURE = "@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])"

CORRECT = {
    "next on a dataset's iterator": """
@tf.function
def step(iterator):
    return next(iterator)
step(iter(tf.data.Dataset.range(3)))
""",
    "loops over datasets": """
@tf.function
def total():
    numbers = tf.data.Dataset.range(3)
    result = tf.constant(0, tf.int64)
    for position, (one, other) in enumerate(zip(numbers, numbers)):
        result += position * one * other
    for number in filter(lambda n: n > 1, numbers):
        result += number
    return result
""",
    "dict item and attribute under a tensor if": """
@tf.function
def step(self, x: tf.Tensor):
    values = {"a": x}
    rows = [x, x]
    if x > 0:
        values["a"] = -x
        rows[0] = -x
        self.last = x
    return values["a"] + rows[0]
""",
    "a list of one turn": f"""
{SIGNATURE}
def step(x):
    for row in x:
        parts = []
        parts.append(row)
        tf.print(tf.stack(parts))
""",
    "a list in a Python loop": """
@tf.function
def step(x: tf.Tensor):
    rows = []
    for number in range(3):
        rows.append(x * number)
    return tf.stack(rows)
""",
    "a TensorArray in a tensor loop": """
@tf.function
def step(x: tf.Tensor):
    rows = tf.TensorArray(tf.float32, 3)
    for number in tf.range(3):
        rows = rows.write(number, x)
    return rows.stack()
""",
    "questions that the static shape answers": """
@tf.function
def step(x: tf.Tensor):
    assert x.shape.rank == 2
    rows, columns = x.shape
    if len(x.shape) > 2 or x.dtype == tf.int32 or x is None:
        raise ValueError(f"shape {x.shape}")
    return np.prod(x.shape), np.sqrt(x.shape[-1]), [d for d in x.shape], rows, columns
""",
    "a print that marks the trace": """
@tf.function
def step(x):
    print("tracing step with", x)
    return x
""",
    "random numbers of TensorFlow": """
@tf.function
def step(x):
    return x + tf.random.uniform([], seed=1) + tf.random.normal([], seed=2)
""",
    "a variable that is made once": """
class Counter(tf.Module):
    def __init__(self):
        self.count = None
    @tf.function
    def step(self):
        if self.count is None:
            self.count = tf.Variable(0)
        return self.count.assign_add(1)
""",
    "a global that nobody changes": """
LEARNING_RATE = 0.1
@tf.function
def step(x):
    return x * LEARNING_RATE
""",
    "a local of a changed global's name": """
rate = 0.1
def set_rate(value):
    global rate
    rate = value
@tf.function
def step(x):
    rate = tf.reduce_mean(x)
    return x * rate
""",
    "a step made where only a graph comes": """
def compiled(function, x):
    if tf.executing_eagerly():
        return function(x)
    else:
        @tf.function(jit_compile=True)
        def step(x):
            return function(x)
        return step(x)
""",
    "a step made by what is traced or cached itself": """
@registry.computation
def compute(model, x):
    @tf.function
    def step(x):
        return model(x)
    return step(x)
""",
    "a step made by what such a function calls": """
def compute(model, x):
    @tf.function
    def step(x):
        return model(x)
    return step(x)
@registry.computation
def computation(model, x):
    return compute(model, x)
""",
    "a graph function that Keras' train_step calls": """
def step(data):
    if tf.reduce_sum(data) > 0:
        return data
    return -data
step = tf.function(step)
class Model(keras.Model):
    def train_step(self, data):
        return step(tf.abs(data))
""",
    "a tensor in the text of an error": f"""
{SIGNATURE}
def step(x):
    if x.shape.rank != 2:
        raise ValueError(f"{{x}} is no matrix")
    return x
""",
    "a factory": """
def make_step(model):
    @tf.function
    def step(x):
        return model(x)
    return step
""",
    "a step in an attribute": """
class Learner:
    def __init__(self, model):
        self.step = tf.function(lambda x: model(x))
    def learn(self, batches):
        for batch in batches:
            self.step(batch)
""",
    "a step for each name": """
def make_steps(functions):
    steps = {}
    for name, function in functions.items():
        steps[name] = tf.function(function)
    return steps
""",
    "a step made where it is called in a loop": """
def learn(model, batches):
    @tf.function
    def step(x):
        return model(x)
    for batch in batches:
        step(batch)
""",
    "a step that a closure keeps": """
def make_loss(model, data):
    @tf.function
    def loss(x):
        return model(x)
    def closure():
        return loss(data)
    return closure
""",
    "a step within a graph": """
@tf.function
def outer(x):
    inner = tf.function(lambda y: y * 2)
    return inner(x)
""",
    "a number as argument with a signature": f"""
{SIGNATURE}
def step(x):
    return x
for number in range(3):
    step(number)
""",
    "a tensor made of the counter": """
@tf.function
def step(x, rate, names):
    return x * rate
for epoch in range(3):
    step(tf.constant(epoch), tf.cast(epoch, tf.float32), np.float32(epoch))
""",
    "a Python flag": """
@tf.function
def step(x, training):
    if training:
        raise ValueError("no")
    return x
step(tf.ones([1]), training=True)
""",
    "the default itself beside a signature": f"""
{SIGNATURE}
def step(x, training=True):
    return x if training else -x
step([1.0], training=True)
""",
    "a method with a signature": f"""
class Module(tf.Module):
    {SIGNATURE}
    def step(self, x):
        return x
""",
    "a signature that stands elsewhere": """
from specs import SIGNATURE
@tf.function(input_signature=SIGNATURE)
def step(model, x):
    return x
""",
    "pairs of tensors": """
@tf.function
def step(x: tf.Tensor):
    mean, variance = tf.nn.moments(x, [0])
    unit, norm = tf.linalg.normalize(x)
    clipped, total = tf.clip_by_global_norm([x, x], 1.0)
    first, second = tf.unstack(x, 2)
    decoded, likelihood = tf.nn.ctc_greedy_decoder(x, [1])
    return [part * 2 for part in (mean, variance, unit, norm, total, first, second)], sum(clipped)
""",
    "grids of numpy": """
@tf.function
def step(x):
    rows, columns = np.meshgrid([1.0, 2.0], [3.0, 4.0])
    return x + np.reshape(rows, -1) + np.reshape(columns, -1)
""",
    "a value that may be known": """
class Layer(keras.layers.Layer):
    def call(self, inputs):
        rows = inputs.shape[0] or tf.shape(inputs)[0]
        if not tf.is_tensor(rows) and rows == 1:
            return inputs
        return inputs * 2
""",
    "a pair that is annotated as one tensor": """
class Layer(keras.layers.Layer):
    def call(self, inputs: tf.Tensor):
        first, second = inputs
        return first + second
""",
    "an assert that AutoGraph is told to convert": """
@tf.function(experimental_autograph_options=tf.autograph.experimental.Feature.ASSERT_STATEMENTS)
def step(x: tf.Tensor):
    assert x > 0
    return x
""",
    "a decorated Keras call": """
class Layer(keras.layers.Layer):
    @tf.function
    def call(self, inputs):
        if tf.reduce_max(inputs) > 1:
            return inputs / 2
        return inputs
""",
    "cond in a Keras call": """
class Layer(keras.layers.Layer):
    def call(self, inputs, training=False):
        if training:
            return inputs
        return keras.ops.cond(tf.reduce_max(inputs) > 1, lambda: inputs / 2, lambda: inputs)
""",
    "asserts in a plain graph": """
@tf.function
def step(x):
    tf.debugging.assert_positive(x)
    tf.print(x)
    return x
""",
    "ordered timestamps": """
@tf.function
def step(x):
    began = tf.timestamp()
    with tf.control_dependencies([began]):
        y = tf.matmul(x, x)
    with tf.control_dependencies([y]):
        return y, tf.timestamp() - began
""",
    "a module that holds no Keras model": """
module = tf.Module()
tf.saved_model.save(module, "folder")
""",
    "a Keras model with a call of its own": """
class Model(keras.Model):
    @tf.function
    def __call__(self, x):
        return x
tf.saved_model.save(Model(), "folder")
""",
    "numpy outside of graphs": """
def prepare(x):
    print(np.mean(x), random.random(), time.time())
    return tf.constant(x).numpy()
""",
}

IMPORTS = "import random\nimport time\nimport keras\nimport numpy as np\nimport tensorflow as tf\n"


@pytest.mark.parametrize("name", CORRECT)
def test_correct_code_is_not_flagged(name, codes_in):
    assert codes_in(IMPORTS + CORRECT[name]) == []
