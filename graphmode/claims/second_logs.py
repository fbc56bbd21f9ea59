"""Claim 60: where TensorFlow tells of its tracing."""

import logging

import tensorflow as tf

from graphmode.claims.child import in_child
from graphmode.claims.claim import Finding, Verdict, claim

_TRACES = 6
"""TensorFlow warns from the fifth on."""


@claim(
    number=60,
    section="5.1",
    text="`TF_CPP_MIN_VLOG_LEVEL=2` makes TensorFlow log the tracing.",
    expected=Verdict.WRONG,
    right_way=(
        "There is no such variable (there is `TF_CPP_MAX_VLOG_LEVEL`, which floods you with other "
        "things; `TF_CPP_VMODULE=meta_optimizer=2` tells what grappler did). Of retracing tells a "
        "handler on `tf.get_logger()`; counts come from `experimental_get_tracing_count()`; "
        "AutoGraph tells its own after `tf.autograph.set_verbosity(3, alsologtostdout=True)`. "
        "`graphmode.trace_budget` makes a retrace an error."
    ),
)
def _logs_of_tracing() -> Finding:
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "0"}
    usual, claimed, flood = (
        in_child(trace_again_and_again, quiet | added).stderr.splitlines()
        for added in ({}, {"TF_CPP_MIN_VLOG_LEVEL": "2"}, {"TF_CPP_MAX_VLOG_LEVEL": "2"})
    )
    telling = sum("retracing" in line.lower() for line in flood)
    logged = _records_of_retracing()
    return Finding(
        verdict=Verdict.HOLDS if len(claimed) > 2 * len(usual) else Verdict.WRONG,
        happens=(
            f"A process that traces a function {_TRACES} times writes {len(usual)} lines, with "
            f"`TF_CPP_MIN_VLOG_LEVEL=2` {len(claimed)}, with `TF_CPP_MAX_VLOG_LEVEL=2` "
            f"{len(flood)}, of which {telling} speak of retracing. A handler on "
            f"`tf.get_logger()` gets {len(logged)} warnings of it."
        ),
    )


def trace_again_and_again() -> None:
    """Trace a function six times, without TensorFlow's Python log."""
    tf.get_logger().setLevel(logging.ERROR)
    twice = tf.function(lambda x: x * 2)
    for size in range(_TRACES):
        twice(tf.zeros([size]))


def _records_of_retracing() -> list[str]:
    logger, said = tf.get_logger(), _Kept()
    level = logger.level
    logger.addHandler(said)
    logger.setLevel(logging.WARNING)
    try:
        twice = tf.function(_double)
        for size in range(_TRACES):
            twice(tf.zeros([size]))
    finally:
        logger.setLevel(level)
        logger.removeHandler(said)
    return [message for message in said.messages if "retracing" in message]


def _double(x: tf.Tensor) -> tf.Tensor:
    return x * 2


class _Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())
