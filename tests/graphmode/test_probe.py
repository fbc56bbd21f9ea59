"""A value that a trace froze is named, and all is put back afterwards."""

import random
import time

import numpy as np
import pytest
import tensorflow as tf

from graphmode.errors import GraphmodeError
from graphmode.probe import probe

X = tf.constant([1.0, 2.0])
SCALE = 2.0
UNREAD = 3.0


def frozen(function, *inputs):
    return [one.source for one in probe(function, *inputs).findings if one.verdict == "frozen"]


def by_callee(x):
    return x * SCALE


def test_a_global_is_frozen_also_in_a_called_function():
    assert frozen(tf.function(lambda x: by_callee(x) + 1), X) == ["global SCALE"]
    assert SCALE == 2.0


def test_a_closure_is_frozen_and_put_back():
    rate = np.array([1.0, 2.0], np.float32)
    assert frozen(tf.function(lambda x: x * rate), X) == ["closure rate"]
    assert rate.tolist() == [1, 2]


class Scaled:
    def __init__(self):
        self.by = 2
        self.unread = 3

    @tf.function
    def call(self, x):
        return x * self.by


def test_an_attribute_is_frozen_and_put_back():
    scaled = Scaled()
    assert frozen(scaled.call, X) == ["attribute by"]
    assert scaled.by == 2


@pytest.mark.parametrize(
    ("draw", "source"),
    [
        (lambda: np.random.rand() + 1, "np.random"),
        (lambda: random.random() + 1, "random"),
        (lambda: time.time() % 1e6, "time.time"),
    ],
)
def test_pythons_random_numbers_and_clock_are_frozen_and_put_back(draw, source):
    clock, state = time.time, random.getstate()
    arrays = np.random.get_state()[1].tolist()
    assert frozen(lambda x: x + draw(), X) == [source]
    assert (time.time, random.getstate()) == (clock, state)
    assert np.random.get_state()[1].tolist() == arrays


def test_numbers_of_an_own_generator_are_frozen():
    assert frozen(lambda x: x + np.random.default_rng().random(), X) == [
        "something new at each call"
    ]


def test_tensorflows_random_numbers_are_fresh_and_no_error():
    report = probe(lambda x: x + tf.random.uniform([]), X)
    assert [one.verdict for one in report.findings] == ["fresh", "not tried"]
    assert not report.is_frozen


def test_a_variable_is_not_frozen_and_keeps_its_value():
    count = tf.Variable(0.0)

    def step(x):
        return x + count.assign_add(1.0)

    assert probe(step, X).findings == ()
    assert float(count) == 0


def test_after_an_error_all_is_put_back():
    clock = time.time

    def fails(x):
        raise ValueError(SCALE * x)

    with pytest.raises(GraphmodeError, match="fails"):
        probe(fails, X)
    assert time.time is clock
    assert not tf.config.functions_run_eagerly()
