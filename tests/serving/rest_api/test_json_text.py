import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.errors import ServingError
from serving.rest_api.json_text import MOST_SHOWN, dump, parse, shown

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_what_is_dumped_is_parsed_to_the_same(value):
    assert repr(parse(dump(value))) == repr(json.loads(json.dumps(value)))


@given(st.binary())
def test_no_bytes_at_all_do_worse_than_a_refusal(body):
    try:
        parse(body)
    except ServingError as error:
        assert error.sentence.startswith("JSON Parse error: ")  # noqa: PT017


def test_text_after_the_document_is_left_out():
    assert parse(b'{"a": 1} trailing') == {"a": 1}


def test_bytes_that_are_no_text_pass_through():
    assert dump({"a": [b'\xff\x00"']}) == b'{"a":["\xff\\u0000\\""]}'


def test_arrays_with_infinity_print_it_bare():
    assert dump({"a": np.array([1, np.inf], np.float64)}) == b'{"a":[1.0,Infinity]}'


def test_an_error_shows_no_more_than_the_start_of_a_value():
    assert len(shown([0.5] * 10_000)) == MOST_SHOWN
    assert shown({"a": [1.0, {}]}) == '{\n    "a": [1.0, {}]\n}'


@pytest.mark.parametrize(("body", "offset"), [(b"[1 2]", 3), (b'{"a" 1}', 5), (b"[tru]", 1)])
def test_the_refusal_says_where(body, offset):
    with pytest.raises(ServingError, match=f"at offset: {offset}"):
        parse(body)
