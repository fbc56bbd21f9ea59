import pytest

from loadtest.config import CompareConfig
from loadtest.errors import LoadTestError


@pytest.mark.parametrize("field", ["users", "repeats", "requests", "baseline_threads"])
def test_a_count_below_one_is_refused_with_its_name_bound_and_value(field):
    with pytest.raises(LoadTestError, match=f"{field} must be 1 or more, got 0"):
        CompareConfig(**{field: 0})


def test_a_longest_window_below_the_shortest_is_refused():
    with pytest.raises(LoadTestError, match=r"max_seconds must be min_seconds \(8.0\) or more"):
        CompareConfig(max_seconds=2)
