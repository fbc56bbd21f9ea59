import numpy as np
import pytest

from loadtest import validity
from loadtest.samples import Samples, Window
from loadtest.validity import Third


def window(ends_s, latency_ms, start_s=0.0):
    ends = np.asarray(ends_s, dtype=float)
    latency = np.asarray(latency_ms, dtype=float)
    samples = Samples(
        start_s=ends - latency / 1000,
        latency_ms=latency,
        ok=np.ones(len(ends), dtype=bool),
        error=("",) * len(ends),
        size_bytes=np.zeros(len(ends), dtype=int),
    )
    return Window(start_s=start_s, end_s=float(ends[-1]), samples=samples)


@pytest.mark.parametrize(
    ("throughput", "holds"), [(80, True), (76.1, True), (75, False), (85, False)]
)
def test_littles_law_allows_five_percent(throughput, holds):
    reason = validity.littles_law(8, throughput, mean_ms=100)
    assert (reason is None) == holds


def test_a_generator_that_uses_80_percent_of_its_core_has_no_room():
    assert validity.generator_has_room([0.5, 0.79]) is None
    assert "80%" in validity.generator_has_room([0.5, 0.80])


def test_three_equal_thirds_are_steady():
    assert validity.steady_state([Third(300, 40, 200)] * 3) is None


@pytest.mark.parametrize(
    ("odd", "named"), [(Third(300, 60, 200), "throughput"), (Third(300, 40, 300), "P95")]
)
def test_a_third_that_stands_out_is_not_steady(odd, named):
    thirds = [Third(300, 40, 200), Third(300, 40, 200), odd]
    assert f"not steady: {named}" in validity.steady_state(thirds)


def test_few_requests_cannot_tell_a_steady_state():
    assert "cannot be judged: 99 requests" in validity.steady_state([Third(99, 40, 200)] * 3)


def test_thirds_are_of_time_and_pooled_over_windows():
    one = window([1, 2, 3, 4, 5, 6], [10] * 6)
    other = window([11, 12, 12.5, 13, 14, 15, 16], [20] * 7, start_s=10)
    thirds = validity.thirds_of([one, other])
    # A completion on a border belongs to the later third, the last of all to the last third.
    assert [third.n for third in thirds] == [2, 5, 6]
    assert thirds[2].throughput_rps == pytest.approx(6 / 4)


def test_one_error_is_too_many():
    assert validity.no_errors(0, 100) is None
    assert validity.no_errors(1, 99) == "1 of 100 requests failed"


def test_a_p95_needs_a_thousand_requests():
    assert validity.enough_requests(1000) is None
    assert "999 requests" in validity.enough_requests(999)


def test_each_run_has_a_connection_a_user():
    assert validity.connections_as_meant(8, [8, 8]) is None
    assert validity.connections_as_meant(8, [8, 1]) == "1 connections to the server, not 8"


def test_server_and_generator_need_cores_of_their_own():
    assert validity.cores_apart((1,), (0,)) is None
    assert "shared" in validity.cores_apart((0,), (0,))
    assert "could not be pinned" in validity.cores_apart((), ())
