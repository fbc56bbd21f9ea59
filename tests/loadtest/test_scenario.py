from loadtest.config import CompareConfig
from loadtest.scenario import interleaved, scenario_of


def test_the_requests_of_a_target_are_shared_among_its_repeats_and_rounded_up():
    scenario = scenario_of(CompareConfig(requests=1000, repeats=3))
    assert scenario.requests_per_run == 334
    assert scenario.requests_per_run * scenario.repeats >= 1000


def test_quick_is_one_short_repeat_and_never_longer_than_what_was_asked():
    quick = scenario_of(CompareConfig(quick=True))
    assert quick.repeats == 1
    assert quick.max_s <= 8
    asked = scenario_of(CompareConfig(quick=True, requests=10, min_seconds=1, max_seconds=2))
    assert (asked.requests_per_run, asked.min_s, asked.max_s) == (10, 1, 2)


def test_every_second_round_runs_backwards():
    names = [name for name, _ in interleaved(["a", "b"], 4)]
    assert names == ["a", "b", "b", "a", "a", "b", "b", "a"]


def test_each_target_gets_each_repeat_once():
    order = interleaved(["a", "b", "c"], 3)
    assert sorted(order) == [(name, repeat) for name in "abc" for repeat in (1, 2, 3)]
