import numpy as np
import pytest

from loadtest.estimates import RunFigures, percentile_ms, ratio, ratios, throughput_rps


def run(*latency_ms, window_s=1.0, memory_mb=100.0):
    return RunFigures(latency_ms=np.array(latency_ms), window_s=window_s, memory_mb=memory_mb)


def test_percentiles_pool_the_rows_of_all_restarts():
    assert percentile_ms([run(1.0, 2.0), run(3.0, 4.0, 5.0)], 50) == 3.0
    assert percentile_ms([run(*range(1, 102))], 95) == 96.0


def test_throughput_is_all_answers_over_all_windows():
    assert throughput_rps([run(1, 1, 1, window_s=1), run(1, window_s=3)]) == 1.0


def test_no_answers_make_zeros_and_no_error():
    assert percentile_ms([run()], 95) == 0.0
    assert throughput_rps([run(window_s=0)]) == 0.0
    assert ratio([run(1.0)], [run()], throughput_rps, seed=0).value == 0.0


def test_ratios_are_candidate_over_baseline():
    found = ratios([run(5, 5, memory_mb=50)], [run(10, memory_mb=200)], seed=0)
    values = {name: made.value for name, made in found.items()}
    assert values == {"throughput": 2.0, "p50": 0.5, "p95": 0.5, "memory": 0.25}


def test_one_restart_makes_no_interval():
    made = ratio([run(5)], [run(10)], throughput_rps, seed=0)
    assert (made.low, made.high) == (None, None)


def test_the_interval_spans_what_the_restarts_gave():
    candidate = [run(*[1.0] * n) for n in (20, 22, 24)]
    baseline = [run(*[1.0] * 10)] * 3
    made = ratio(candidate, baseline, throughput_rps, seed=0)
    assert made.value == pytest.approx(2.2)
    assert made.low == pytest.approx(2.0)
    assert made.high == pytest.approx(2.4)


def test_restarts_are_drawn_in_pairs():
    slow_and_fast = [run(*[1.0] * n) for n in (10, 100)]
    made = ratio(slow_and_fast, slow_and_fast, throughput_rps, seed=0)
    assert (made.low, made.high) == (1.0, 1.0)  # what slows both of a round cancels
