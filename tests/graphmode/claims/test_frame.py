"""The book is whole, a trial says what differs, a child's crash is a result."""

import ast
import os
import re
import signal
import tempfile

import pytest
import tensorflow as tf

from graphmode.claims.book import all_claims
from graphmode.claims.child import in_child
from graphmode.claims.claim import Finding, Verdict, claim
from graphmode.claims.observing import brief, eager_operations, error_of, optimised_operations
from graphmode.claims.stopwatch import median_times_s
from graphmode.claims.trial import try_claim, try_claims


def claim_that(experiment, expected=Verdict.HOLDS):
    made = claim(number=1, section="1", text="It is so.", expected=expected, right_way="So.")
    return made(experiment)


def test_the_claims_are_numbered_1_to_74():
    assert [each.number for each in all_claims()] == list(range(1, 75))


def test_each_claim_says_what_is_right_and_where_it_was_made():
    for each in all_claims():
        assert each.text.endswith("."), each.number
        assert each.right_way, each.number
        assert each.section, each.number


def test_the_code_of_the_right_way_is_python():
    for each in all_claims():
        for snippet in re.findall(r"```python\n(.*?)```", each.right_way, re.DOTALL):
            ast.parse(snippet, filename=f"claim {each.number}")


def test_another_verdict_is_not_as_expected():
    holds = claim_that(lambda: Finding(verdict=Verdict.HOLDS, happens="Yes."))
    wrong = claim_that(lambda: Finding(verdict=Verdict.WRONG, happens="No."))
    assert [trial.is_as_expected for trial in try_claims([holds, wrong])] == [True, False]


def test_an_experiment_that_breaks_is_not_as_expected_even_where_nothing_was():
    def broken():
        raise AttributeError("tf.gone")

    trial = try_claim(claim_that(broken, expected=Verdict.UNTESTED))
    assert trial.has_failed
    assert not trial.is_as_expected
    assert "AttributeError: tf.gone" in trial.finding.happens


def test_a_childs_crash_is_its_exit_code():
    ended = in_child(os.abort)
    assert (ended.value, ended.exit_code) == (None, -signal.SIGABRT)


def test_a_child_gives_its_value_and_sees_its_own_environment(tmp_path):
    assert in_child(tempfile.gettempdir, {"TMPDIR": str(tmp_path)}).value == str(tmp_path)


def test_an_error_from_autograph_is_told_without_its_frames():
    @tf.function
    def wrong(x):
        if x > 0:
            raise ValueError("too `much`")
        return x

    assert brief(error_of(lambda: wrong(tf.constant(1)))) == "ValueError: too 'much'"


def test_what_ran_is_what_grappler_left():
    @tf.function
    def three(x):
        return x * (tf.constant(1.0) + tf.constant(2.0))

    x = tf.constant(2.0)
    ran = optimised_operations(lambda: three(x))
    assert (ran["Mul"], ran["AddV2"]) == (1, 0)


def test_a_function_that_has_run_before_is_not_optimised_again():
    square = tf.function(lambda x: x * x)
    x = tf.constant(2.0)
    square(x)
    with pytest.raises(ValueError, match="not run before"):
        optimised_operations(lambda: square(x))


def test_operations_in_a_graph_do_not_run_eagerly():
    x = tf.constant(2.0)
    exponential = tf.function(tf.exp)
    assert eager_operations(lambda: tf.exp(x))["Exp"] == 1
    assert eager_operations(lambda: exponential(x))["Exp"] == 0


def test_works_are_timed_in_turn_after_one_call_of_each():
    called = []
    times_s = median_times_s(
        lambda: called.append("a"), lambda: called.append("b"), rounds=2, calls=2
    )
    assert "".join(called) == "ab" + 2 * "aabb"
    assert all(taken_s > 0 for taken_s in times_s)
