import csv
import gzip

import numpy as np
import pytest

from loadtest.samples import ROW_FIELDS, Samples, measured_window, read_rows, write_requests


def samples_ending_at(*ends_s, latency_ms=100.0):
    ends = np.array(ends_s, dtype=float)
    return Samples(
        start_s=ends - latency_ms / 1000,
        latency_ms=np.full(len(ends), latency_ms),
        ok=np.ones(len(ends), dtype=bool),
        error=("",) * len(ends),
        size_bytes=np.full(len(ends), 10),
    )


def test_the_window_opens_with_a_completion_that_does_not_count():
    window = measured_window(samples_ending_at(0.1, 0.6, 1.2, 1.7, 2.2), warmup_s=1.0)
    assert (window.start_s, window.end_s) == (1.2, 2.2)
    assert len(window.samples) == 2  # at 1.7 and 2.2: two a second, as in the whole run
    assert len(window.samples) / window.seconds == pytest.approx(2.0)


def test_a_run_that_ends_in_its_warm_up_measures_nothing():
    window = measured_window(samples_ending_at(0.1, 0.2), warmup_s=5.0)
    assert (len(window.samples), window.seconds) == (0, 0)


def test_rows_are_read_in_the_order_in_which_requests_ended(tmp_path):
    path = tmp_path / "rows.csv"
    rows = [(5.0, 900.0, 1, "", 10), (5.1, 100.0, 0, "TimeoutError: late", 0)]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([ROW_FIELDS, *rows])
    samples = read_rows(path)
    assert samples.latency_ms.tolist() == [100.0, 900.0]
    assert samples.ok.tolist() == [False, True]
    assert samples.error == ("TimeoutError: late", "")


def test_every_request_is_a_row_that_says_whether_it_was_measured(tmp_path):
    samples = samples_ending_at(10.1, 11.2, 11.7)
    window = measured_window(samples, warmup_s=1.0)
    path = tmp_path / "requests.csv.gz"
    write_requests(path, [("fp32-rest", 1, 10.0, samples, window)])
    with gzip.open(path, "rt") as file:
        rows = list(csv.DictReader(file))
    assert [row["phase"] for row in rows] == ["warm-up", "warm-up", "measured"]
    assert float(rows[0]["start_s"]) == 0.0
    assert {row["target"] for row in rows} == {"fp32-rest"}
