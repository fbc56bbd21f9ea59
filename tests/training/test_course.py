"""A course is laps of epochs, each with its crop size."""

import pytest

from training.course import crop_sizes, read_course
from training.errors import TrainingError


def test_each_epoch_has_its_laps_size():
    assert crop_sizes(read_course(["64x2", "144x1"])) == (64, 64, 144)


@pytest.mark.parametrize(
    ("course", "message"),
    [
        ([], "course must have a lap"),
        (["64"], "a lap is written SIZExEPOCHS.*not '64'"),
        (["64x2", "64x-1"], "a lap is written SIZExEPOCHS.*not '64x-1'"),
        (["8x2"], "a lap's size must be 16 to 1024 pixels, not 8"),
        (["2048x2"], "a lap's size must be 16 to 1024 pixels, not 2048"),
        (["64x0"], "a lap must have at least 1 epoch, not '64x0'"),
    ],
)
def test_what_is_no_course_is_refused(course, message):
    with pytest.raises(TrainingError, match=message):
        read_course(course)
