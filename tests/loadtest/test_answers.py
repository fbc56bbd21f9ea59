import pytest

from loadtest.answers import Address, Answer, ask_rest, disagreement
from loadtest.errors import LoadTestError

CAT = Answer((0.9, 0.1), "cat")


def test_equal_answers_agree():
    assert disagreement([CAT, CAT], [CAT, CAT], 1e-4) is None


def test_a_probability_beyond_the_tolerance_is_told_with_its_photo():
    given = Answer((0.899, 0.101), "cat")
    assert disagreement([CAT, given], [CAT, CAT], 1e-4) == (
        "photo 2: a probability differs by 0.001 (> 0.0001)"
    )
    assert disagreement([CAT], [given], 0.02) is None


def test_another_label_is_told():
    assert disagreement([CAT], [Answer((0.9, 0.1), "dog")], 0.02) == (
        "photo 1: label 'dog', the reference says 'cat'"
    )


def test_a_label_may_differ_where_the_reference_is_undecided():
    assert disagreement([Answer((0.51, 0.49), "cat")], [Answer((0.5, 0.5), "dog")], 0.02) is None


def test_another_number_of_classes_is_told():
    assert "1 classes" in disagreement([CAT], [Answer((1.0,), "cat")], 0.02)


def test_no_server_is_an_error_that_says_so():
    with pytest.raises(LoadTestError, match="no answer over REST"):
        ask_rest(b"photo", "resnet18", Address(rest_port=9, grpc_port=9))
