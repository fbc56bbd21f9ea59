"""The element types of TensorFlow, as numpy holds them."""

import ml_dtypes
import numpy as np

from serving.messages import types_pb2

STRING = types_pb2.DT_STRING

# String tensors are numpy object arrays of bytes.
NUMPY_DTYPES: dict[int, np.dtype] = {
    types_pb2.DT_HALF: np.dtype(np.float16),
    types_pb2.DT_BFLOAT16: np.dtype(ml_dtypes.bfloat16),
    types_pb2.DT_FLOAT: np.dtype(np.float32),
    types_pb2.DT_DOUBLE: np.dtype(np.float64),
    types_pb2.DT_INT8: np.dtype(np.int8),
    types_pb2.DT_INT16: np.dtype(np.int16),
    types_pb2.DT_INT32: np.dtype(np.int32),
    types_pb2.DT_INT64: np.dtype(np.int64),
    types_pb2.DT_UINT8: np.dtype(np.uint8),
    types_pb2.DT_UINT16: np.dtype(np.uint16),
    types_pb2.DT_UINT32: np.dtype(np.uint32),
    types_pb2.DT_UINT64: np.dtype(np.uint64),
    types_pb2.DT_BOOL: np.dtype(np.bool_),
    types_pb2.DT_COMPLEX64: np.dtype(np.complex64),
    types_pb2.DT_COMPLEX128: np.dtype(np.complex128),
    STRING: np.dtype(object),
}

ENUMS: dict[np.dtype, int] = {dtype: enum for enum, dtype in NUMPY_DTYPES.items()}


def dtype_name(enum: int) -> str:
    """TensorFlow's own word for a dtype: `float`, `half`, `int64`, `string`."""
    return str(types_pb2.DataType.Name(enum)).removeprefix("DT_").lower()
