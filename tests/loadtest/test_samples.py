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


def test_the_window_is_whole_steps_after_the_warm_up():
    samples = samples_ending_at(0.1, 0.6, 1.0, 1.2, 1.7, 2.2)
    window = measured_window(samples, warmup_s=1.0)
    assert (window.start_s, window.end_s) == (1.0, 2.0)
    assert window.samples.end_s.tolist() == pytest.approx([1.2, 1.7])


def test_bunches_make_no_bias():
    ends_s = np.repeat(np.arange(0.13, 21.0, 0.2), 8)  # batches of 8, 40 requests a second
    window = measured_window(samples_ending_at(*ends_s), warmup_s=1.0)
    assert len(window.samples) / window.seconds == pytest.approx(40, rel=0.02)


def test_a_run_that_ends_in_its_warm_up_measures_nothing():
    for warmup_s in (0.2, 5.0):
        window = measured_window(samples_ending_at(0.1, 0.2), warmup_s)
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
    samples = samples_ending_at(10.1, 11.2, 11.7, 11.8)
    window = measured_window(samples, warmup_s=1.0)
    path = tmp_path / "requests.csv.gz"
    write_requests(path, [("fp32-rest", 1, 10.0, samples, window)])
    with gzip.open(path, "rt") as file:
        rows = list(csv.DictReader(file))
    assert [row["phase"] for row in rows] == ["warm-up", "measured", "after", "after"]
    assert float(rows[0]["start_s"]) == 0.0
    assert {row["target"] for row in rows} == {"fp32-rest"}
