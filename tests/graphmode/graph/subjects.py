"""Functions whose graphs are looked at."""

import numpy as np
import tensorflow as tf

IMAGES = tf.TensorSpec([None, 8, 8, 3], tf.float32, name="image")
TABLE = np.arange(1000, dtype=np.float32)

kernel = tf.Variable(tf.ones([3, 3, 3, 8]), name="kernel")
bias = tf.Variable(tf.zeros([8]), name="bias")


@tf.function(input_signature=[IMAGES])
def convolved(image):
    """A fused convolution, tensor control flow, two casts, a large constant, dead code."""
    y = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(image, kernel, 1, "SAME"), bias))
    tf.exp(y)
    if tf.reduce_sum(y) > 0:
        y = tf.cast(tf.cast(y, tf.bfloat16) * 2, tf.float32)
    for _ in tf.range(3):
        y += 1.0
    bias.assign_add(tf.ones([8]))
    return y + tf.gather(TABLE, tf.shape(image)[0])


already_run = convolved.get_concrete_function()
already_run(tf.ones([2, 8, 8, 3]))


@tf.function
def added(a, b, *, is_doubled=True):
    return (a + b) * 2 if is_doubled else a + b


@tf.function(jit_compile=True)
def compiled(x):
    return tf.tanh(x) + 1.0


@tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="photo")])
def decoded(photo):
    return tf.io.decode_png(photo[0], channels=3)


def untraceable(x):
    return list(x)


class Classifier(tf.Module):
    def __init__(self):
        super().__init__()
        self.kernel = tf.Variable(tf.ones([3, 3, 3, 8]), name="kernel")

    @tf.function(input_signature=[IMAGES])
    def classify(self, image):
        y = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(image, self.kernel, 1, "SAME"), tf.ones([8])))
        return {"scores": tf.reduce_mean(y, [1, 2])}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="photo")])
    def size(self, photo):
        return {"size": tf.shape(tf.io.decode_png(photo[0]))}


classifier = Classifier()
