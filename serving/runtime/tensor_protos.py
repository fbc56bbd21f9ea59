"""Tensors on the gRPC wire: TensorProto to numpy and back."""

import math
from typing import Any

import numpy as np

from serving.messages import tensor_pb2, types_pb2
from serving.runtime.dtypes import ENUMS, NUMPY_DTYPES, STRING
from serving.runtime.tensors import Tensor

# Which repeated field carries a dtype's values; after tensor.proto.
_FIELDS: dict[int, str] = {
    types_pb2.DT_HALF: "half_val",
    types_pb2.DT_BFLOAT16: "half_val",
    types_pb2.DT_FLOAT: "float_val",
    types_pb2.DT_DOUBLE: "double_val",
    types_pb2.DT_INT8: "int_val",
    types_pb2.DT_INT16: "int_val",
    types_pb2.DT_INT32: "int_val",
    types_pb2.DT_UINT8: "int_val",
    types_pb2.DT_UINT16: "int_val",
    types_pb2.DT_INT64: "int64_val",
    types_pb2.DT_UINT32: "uint32_val",
    types_pb2.DT_UINT64: "uint64_val",
    types_pb2.DT_BOOL: "bool_val",
    types_pb2.DT_COMPLEX64: "scomplex_val",
    types_pb2.DT_COMPLEX128: "dcomplex_val",
    STRING: "string_val",
}
_HALVES = {types_pb2.DT_HALF, types_pb2.DT_BFLOAT16}
# A shape that a few values fill: a tiny message must not ask for terabytes.
_MOST_FILLED = 1 << 24
_MOST_DIMENSIONS = 64  # of a numpy array; TensorFlow ends the process at 255
_LARGEST_SIZE = 1 << 48  # of a dimension beside one of 0: TensorFlow ends where a product overflows
_COMPLEX = {types_pb2.DT_COMPLEX64, types_pb2.DT_COMPLEX128}


class TensorProtoError(ValueError):
    """A TensorProto that describes no tensor: no dtype, a negative size, too little content."""


def from_proto(proto: tensor_pb2.TensorProto) -> Tensor:
    """The tensor in a TensorProto.

    As in TensorFlow, one value fills the whole shape, a last value is repeated to its end, none
    means zeros, and surplus values are left out.

    Raises:
        TensorProtoError: see there.
    """
    shape = tuple(dim.size for dim in proto.tensor_shape.dim)
    if proto.tensor_shape.unknown_rank or any(size < 0 for size in shape):
        raise TensorProtoError("the shape is not fully known")
    if len(shape) > _MOST_DIMENSIONS or math.prod(filter(None, shape)) > _LARGEST_SIZE:
        raise TensorProtoError("the shape is larger than any tensor")
    dtype = NUMPY_DTYPES.get(proto.dtype)
    if dtype is None:
        raise TensorProtoError(f"dtype {proto.dtype} is not supported")
    if proto.tensor_content and dtype.kind != "O":
        return _from_content(proto.tensor_content, dtype, shape)
    return _from_values(proto, dtype, shape)


def to_proto(array: Tensor) -> tensor_pb2.TensorProto:
    """A TensorProto with its values in the dtype's own field, as TensorFlow Serving answers."""
    enum = ENUMS[array.dtype]
    proto = tensor_pb2.TensorProto(dtype=enum)
    proto.tensor_shape.SetInParent()  # a scalar has a shape too
    for size in array.shape:
        proto.tensor_shape.dim.add(size=size)
    flat: Any = array.ravel()
    if enum in _HALVES:
        flat = flat.view(np.uint16)
    elif enum in _COMPLEX:
        flat = flat.view(flat.real.dtype)
    getattr(proto, _FIELDS[enum]).extend(flat.tolist())
    return proto


def _from_content(content: bytes, dtype: np.dtype, shape: tuple[int, ...]) -> Tensor:
    if len(content) != math.prod(shape) * dtype.itemsize:
        raise TensorProtoError(
            f"tensor_content has {len(content)} bytes, the shape needs "
            f"{math.prod(shape) * dtype.itemsize}"
        )
    return np.frombuffer(content, dtype).reshape(shape)


def _from_values(proto: tensor_pb2.TensorProto, dtype: np.dtype, shape: tuple[int, ...]) -> Tensor:
    count = math.prod(shape)
    if count > _MOST_FILLED:
        raise TensorProtoError(f"the shape {list(shape)} is larger than a request may fill")
    values = getattr(proto, _FIELDS[proto.dtype])
    if proto.dtype in _HALVES:
        given = np.array(values, np.int32).astype(np.uint16).view(dtype)
    elif proto.dtype in _COMPLEX:
        parts = np.array(values, np.zeros(0, dtype).real.dtype)
        given = parts[: len(parts) // 2 * 2].view(dtype)
    elif dtype.kind == "O":
        given = np.empty(len(values), object)
        given[:] = list(values)
    else:
        given = np.array(values).astype(dtype)
    if given.size >= count:
        return given[:count].reshape(shape)
    filler = given[-1] if given.size else (b"" if dtype.kind == "O" else dtype.type(0))
    whole = np.full(count, filler, dtype)
    whole[: given.size] = given
    return whole.reshape(shape)
