"""Further shapes of the faults that the pages show one of."""

import pytest

IMPORTS = (
    "import itertools\nimport random\nimport time\nimport datetime\nimport keras\n"
    "import numpy as np\nimport tensorflow as tf\n"
)

FAULTS = {
    "GM102 of the random module": """
@tf.function
def step(x):
    return x * random.choice([1.0, 2.0])
""",
    "GM103 of datetime": """
@tf.function
def step(x):
    return x, datetime.datetime.now().timestamp()
""",
    "GM104 of a generator": """
def numbers():
    yield 1
source = numbers()
@tf.function
def step(x):
    return x + next(source)
""",
    "GM106 of nonlocal": """
def make():
    count = 0
    @tf.function
    def step(x):
        nonlocal count
        count += 1
        return x
    return step
""",
    "GM106 of an attribute": """
class Learner:
    def __init__(self):
        self.calls = 0
    @tf.function
    def step(self, x):
        self.calls += 1
        return x
""",
    "GM107 in a mapped function": """
dataset = tf.data.Dataset.range(3).map(lambda x: tf.Variable(0.0) + 1.0)
""",
    "GM201 under a tensor if": """
@tf.function
def step(x: tf.Tensor):
    rows = [x]
    if tf.reduce_sum(x) > 0:
        rows.append(x)
    return tf.stack(rows)
""",
    "GM201 of dict.pop": """
@tf.function
def step(x: tf.Tensor):
    values = {"a": x}
    if x > 0:
        values.pop("a")
    return len(values)
""",
    "GM201 of del": """
@tf.function
def step(x: tf.Tensor):
    values = {"a": x}
    if x > 0:
        del values["a"]
    return len(values)
""",
    "GM201 in a while": """
@tf.function
def step(x: tf.Tensor):
    rows = []
    while tf.reduce_sum(x) > 0:
        x = x - 1
        rows += [x]
    return rows
""",
    "GM201 in a loop over a dataset": """
@tf.function
def step():
    rows = []
    for row in tf.data.Dataset.range(3):
        rows.append(row)
    return rows
""",
    "GM202 of a generator": """
@tf.function
def step(x: tf.Tensor):
    return tf.add_n(tuple(row * 2 for row in x + 1))
""",
    "GM203 of max": """
@tf.function
def step(x: tf.Tensor, y: tf.Tensor):
    return max(x, y)
""",
    "GM204 of a star": """
@tf.function(input_signature=[tf.TensorSpec([2])])
def step(x):
    return tf.stack([*x])
""",
    "GM207 alone, though a list changes": """
class Layer(keras.layers.Layer):
    def call(self, inputs):
        rows = []
        if tf.reduce_sum(inputs) > 0:
            rows.append(inputs)
        return rows
""",
    "GM207 of autograph=False": """
@tf.function(autograph=False)
def step(x: tf.Tensor):
    if x > 0:
        return x
    return -x
""",
    "GM302 of an operation's result": """
@tf.function
def step(x):
    y = tf.square(x)
    return y.numpy()
""",
    "GM303 in tf.print": """
@tf.function
def step(x: tf.Tensor):
    tf.print(f"loss {x}")
""",
    "GM401 called where it is made": """
def double(x):
    return tf.function(lambda y: y * 2)(x)
""",
    "GM401 in a loop": """
def learn(batches, model):
    for batch in batches:
        @tf.function
        def step(x):
            return model(x)
        step(batch)
""",
    "GM402 of enumerate": """
@tf.function
def step(x, number):
    return x * number
for number, batch in enumerate([1.0, 2.0]):
    step(tf.constant(batch), number)
""",
    "GM402 of listed numbers": """
@tf.function
def step(x, rate):
    return x * rate
for rate in [1e-3, 1e-4]:
    step(tf.constant(1.0), rate)
""",
    "GM402 of a number made of the counter": """
@tf.function
def step(x, rate):
    return x * rate
for epoch in range(3):
    step(tf.constant(1.0), rate=0.1 * float(epoch + 1))
""",
    "GM404 of too many specs": """
SPEC = tf.TensorSpec([], tf.float32)
@tf.function(input_signature=[SPEC, SPEC])
def step(x):
    return x
""",
    "GM404 of a keyword without default": """
@tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
def step(x, *, training):
    return x
""",
    "GM404 of a signature with a name": """
SIGNATURE = [tf.TensorSpec([], tf.float32)]
@tf.function(input_signature=SIGNATURE)
def step(model, x):
    return x
""",
    "GM501 of a called function": """
def checked(x):
    tf.debugging.check_numerics(x, "nan")
    return x
@tf.function(jit_compile=True)
def step(x):
    return checked(x)
""",
    "GM504 of an application": """
model = keras.applications.ResNet50()
tf.saved_model.save(model, "folder")
""",
    "GM504 of an own model": """
class Net(keras.Model):
    def call(self, inputs):
        return inputs
def export():
    net = Net()
    tf.saved_model.save(net, "folder")
""",
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name, codes_in):
    assert codes_in(IMPORTS + FAULTS[name]) == [name.split()[0]]
