"""Promises judged on made-up figures."""

import pytest

from export.benchmark.conditions import conditions
from export.benchmark.table import Row, Table, times_as_fast

MB = 1_000_000


def row(name, one_s, eight_s, used_mb):
    return Row(
        name=name,
        disk_bytes=1,
        loaded_bytes=1,
        used_bytes=used_mb * MB,
        first_s={1: 1.0, 8: 1.0},
        # The rounds differ by the machine's mood, which a ratio within a round leaves out.
        round_s={1: (one_s, 2 * one_s), 8: (eight_s, 2 * eight_s)},
        largest_difference=0,
        same_label=1,
    )


def table(cores, *rows):
    return Table(cores=cores, nothing_bytes=1, compared_photos=8, rows=rows)


def judged(*, bf16, bf16_frozen=0.010, int8=(0.005, 0.030), int8_mb=500):
    """Verdicts in order, of eager Keras at 60 and 240 ms and bf16 with 500 MB."""
    eager, fp32 = row("eager Keras", 0.060, 0.240, 900), row("fp32 variables", 0.03, 0.2, 440)
    rows = (eager, fp32, row("bf16 variables", *bf16, 500))
    tables = {
        "all": table("all", *rows, row("bf16 frozen", bf16_frozen, 0.05, 900)),
        "1": table("1", *rows, row("int8 variables", *int8, int8_mb)),
    }
    return [condition.is_met for condition in conditions(tables)]


def test_all_conditions_can_be_met():
    assert judged(bf16=(0.015, 0.080)) == [True] * 7


@pytest.mark.parametrize(
    ("figures", "broken"),
    [
        ({"bf16": (0.021, 0.080)}, [0]),
        ({"bf16": (0.015, 0.100)}, [1]),
        ({"bf16": (0.015, 0.080), "bf16_frozen": 0.014}, [2]),
        ({"bf16": (0.015, 0.080), "int8": (0.009, 0.030)}, [3]),
        ({"bf16": (0.015, 0.080), "int8": (0.005, 0.050)}, [4]),
        ({"bf16": (0.015, 0.080), "int8_mb": 501}, [6]),
    ],
)
def test_each_condition_can_fail_alone(figures, broken):
    assert [index for index, is_met in enumerate(judged(**figures)) if not is_met] == broken


def test_memory_of_bf16_is_bounded_by_that_of_fp32():
    tables = {
        "all": table("all", row("fp32 variables", 1, 1, 100), row("bf16 variables", 1, 1, 116))
    }
    (memory,) = (one for one in conditions(tables) if one.is_met is not None)
    assert (memory.is_met, memory.got) == (False, "1.160x")


def test_what_was_not_measured_is_not_judged():
    found = conditions({"all": table("all", row("eager Keras", 1, 1, 1))})
    assert {(one.got, one.is_met) for one in found} == {("not measured", None)}


def test_a_ratio_is_taken_within_the_rounds():
    found = times_as_fast(row("a", 0.01, 0.1, 1), row("b", 0.02, 0.1, 1), 1)
    assert [found.value, found.low, found.high] == pytest.approx([2, 2, 2])
