"""The one who waits: its deadline, and that it leaves."""

import pytest

from serving.caller import Caller
from serving.errors import Fault, ServingError


def test_a_caller_without_a_deadline_waits_for_ever():
    caller = Caller()
    assert caller.remaining_s() is None
    caller.check()


def test_a_deadline_that_has_passed_is_refused_and_no_time_is_negative():
    caller = Caller(-1.0)
    assert caller.remaining_s() == 0
    with pytest.raises(ServingError) as refused:
        caller.check()
    assert refused.value.fault is Fault.DEADLINE_EXCEEDED


def test_a_deadline_to_come_leaves_at_most_the_time_given():
    caller = Caller(3600.0)
    assert 0 < caller.remaining_s() <= 3600
    caller.check()


def test_who_leaves_is_told_once_and_refused():
    caller = Caller()
    told = []
    caller.when_gone(lambda: told.append("before"))
    assert not told
    caller.leave()
    caller.leave()
    assert told == ["before"]
    with pytest.raises(ServingError) as refused:
        caller.check()
    assert refused.value.fault is Fault.CANCELLED


def test_who_asks_after_the_caller_has_left_is_told_at_once():
    caller = Caller()
    caller.leave()
    told = []
    caller.when_gone(lambda: told.append("after"))
    assert told == ["after"]
