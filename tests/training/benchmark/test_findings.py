"""Sentences say what the numbers say."""

from training.benchmark.findings import compared
from training.benchmark.interleaved import Measured, Round


def measured(walls):
    rounds = tuple(Round(images=10, wall_s=wall, cpu_s=wall) for wall in walls)
    return Measured(name="", what="", rounds=rounds, first_s=0, new_shape_s=None, traces=0)


ROWS = {
    "steady": measured([2, 2, 2]),
    "fast": measured([1, 1, 1.1]),
    "noisy": measured([1, 2.1, 4]),
}


def test_faster_and_slower_name_the_same_factor():
    assert compared(ROWS, "fast", "steady").startswith("`fast` is 1.94x (1.82 to 2.00) faster")
    assert compared(ROWS, "steady", "fast").startswith("`steady` is 1.94x (1.82 to 2.00) slower")


def test_an_interval_around_1_is_no_difference():
    said = compared(ROWS, "noisy", "steady")
    assert said.startswith("between `noisy` and `steady` no difference was measured: 0.9")
