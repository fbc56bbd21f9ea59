import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps

from serving.messages import tensor_pb2, types_pb2
from serving.runtime.dtypes import NUMPY_DTYPES
from serving.runtime.tensor_protos import TensorProtoError, from_proto, to_proto

NUMBERS = sorted(
    (dtype for dtype in NUMPY_DTYPES.values() if dtype.kind in "fiubc"), key=lambda d: d.name
)
SHAPES = nps.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)


@given(st.data(), st.sampled_from(NUMBERS))
def test_numbers_come_back_bit_for_bit(data, dtype):
    array = data.draw(nps.arrays(dtype, SHAPES))
    back = from_proto(to_proto(array))
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert back.tobytes() == array.tobytes() or np.isnan(array).any()


@given(st.lists(st.binary(max_size=40), max_size=5))
def test_strings_come_back_byte_for_byte(values):
    array = np.empty(len(values), object)
    array[:] = values
    assert from_proto(to_proto(array)).tolist() == values


def proto(shape, **values):
    message = tensor_pb2.TensorProto(dtype=types_pb2.DT_FLOAT, **values)
    for size in shape:
        message.tensor_shape.dim.add(size=size)
    return message


def test_one_value_fills_the_shape_and_none_means_zeros():
    assert from_proto(proto([3], float_val=[2])).tolist() == [2, 2, 2]
    assert from_proto(proto([3], float_val=[1, 2])).tolist() == [1, 2, 2]
    assert from_proto(proto([2])).tolist() == [0, 0]
    assert from_proto(proto([1], float_val=[1, 2])).tolist() == [1]


@pytest.mark.parametrize(
    "message",
    [
        proto([-1], float_val=[1]),
        proto([4], tensor_content=b"12345678"),
        proto([1 << 40], float_val=[1]),
        tensor_pb2.TensorProto(float_val=[1]),
    ],
    ids=["a negative size", "too little content", "too large", "no dtype"],
)
def test_what_is_no_tensor_is_refused(message):
    with pytest.raises(TensorProtoError):
        from_proto(message)
