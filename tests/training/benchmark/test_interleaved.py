"""Subjects take turns; ratios and intervals are those of the rounds."""

import numpy as np
import pytest

from training.benchmark.interleaved import Measured, Round, Subject, measure, ratio


def measured(name, walls):
    rounds = tuple(Round(images=10, wall_s=wall, cpu_s=1.5 * wall) for wall in walls)
    return Measured(name=name, what="", rounds=rounds, first_s=0, new_shape_s=None, traces=0)


def test_each_round_runs_every_subject_in_rotating_order():
    order = []

    def subject(name):
        return Subject(name=name, what="", run=lambda: order.append(name) or 1)

    rows = measure([subject("a"), subject("b"), subject("c")], rounds=2, warm_up=1)
    assert "".join(order) == "abc" + "bca" + "cab"
    assert [(row.name, len(row.rounds)) for row in rows] == [("a", 2), ("b", 2), ("c", 2)]


def test_a_ratio_that_all_rounds_share_has_no_width():
    found = ratio(measured("b", [1, 2, 4]), measured("a", [3, 6, 12]))
    assert (found.value, found.low, found.high) == pytest.approx((3, 3, 3))
    assert found.is_told_apart_from_1


def test_a_machine_that_slows_both_down_does_not_widen_the_interval():
    moods = np.random.default_rng(1).uniform(1, 10, 10)
    found = ratio(measured("b", moods), measured("a", 2 * moods))
    assert found.high - found.low < 1e-9


def test_the_interval_covers_the_true_ratio_about_as_often_as_it_says():
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(200):
        noise = np.exp(rng.normal(0, 0.1, (2, 12)))
        found = ratio(measured("b", noise[0]), measured("a", 1.5 * noise[1]))
        covered += found.low <= 1.5 <= found.high
    # A bootstrap over 12 rounds is known to be a little too narrow.
    assert 0.85 <= covered / 200 <= 0.99


def test_speed_and_cores_come_from_the_rounds():
    row = measured("a", [1, 2, 4])
    assert row.images_per_second == 5
    assert row.cores == pytest.approx(1.5)


def test_a_new_shape_is_called_after_all_rounds():
    calls = []
    subject = Subject(
        name="a", what="", run=lambda: calls.append("run") or 1, new_shape=lambda: calls.append("n")
    )
    (row,) = measure([subject], rounds=2, warm_up=1)
    assert calls == ["run", "run", "run", "n"]
    assert row.new_shape_s is not None
