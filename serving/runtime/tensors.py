"""Tensors on their way between numpy and TensorFlow's C library."""

import ctypes
import itertools
import math

import numpy as np

from serving.errors import Fault, ServingError
from serving.runtime.dtypes import ENUMS, NUMPY_DTYPES, STRING
from serving.runtime.tensorflow_library import (
    TSTRING_BYTES,
    Deallocator,
    Handle,
    tensorflow_library,
)

Tensor = np.ndarray

# The memory of string tensors that TensorFlow still holds, by the number that its deallocator
# is called with. TensorFlow says when it lets go, on a thread of its own.
_held_strings: dict[int, tuple[ctypes.Array[ctypes.c_char], int]] = {}
_numbers = itertools.count(1)


def to_tensorflow(array: Tensor) -> Handle:
    """A TF_Tensor with the content of `array`; the caller deletes it.

    Args:
        array: any dtype of `NUMPY_DTYPES`; strings as an object array of bytes.
    """
    dims = (ctypes.c_int64 * array.ndim)(*array.shape)
    if array.dtype == object:
        return _strings_to_tensorflow(array, dims)
    library = tensorflow_library()
    array = np.asarray(array, order="C")
    tensor = library.TF_AllocateTensor(ENUMS[array.dtype], dims, array.ndim, array.nbytes)
    address = library.TF_TensorData(tensor)
    if array.nbytes and not address:  # copying to address 0 would end the process
        library.TF_DeleteTensor(tensor)
        raise ServingError(
            Fault.RESOURCE_EXHAUSTED, f"no memory for a tensor of {array.nbytes} bytes"
        )
    ctypes.memmove(address, array.ctypes.data, array.nbytes)
    return Handle(tensor)


def from_tensorflow(tensor: Handle) -> Tensor:
    """The content of a TF_Tensor as a numpy array of its own, which outlives the tensor."""
    library = tensorflow_library()
    shape = [library.TF_Dim(tensor, axis) for axis in range(library.TF_NumDims(tensor))]
    enum = library.TF_TensorType(tensor)
    if enum == STRING:
        return _strings_from_tensorflow(library.TF_TensorData(tensor), shape)
    if enum not in NUMPY_DTYPES:
        raise ServingError(
            Fault.UNIMPLEMENTED, f"a tensor of TensorFlow's type {enum} has no wire form"
        )
    data = ctypes.string_at(library.TF_TensorData(tensor), library.TF_TensorByteSize(tensor))
    return np.frombuffer(data, NUMPY_DTYPES[enum]).reshape(shape)


def _strings_to_tensorflow(array: Tensor, dims: ctypes.Array[ctypes.c_int64]) -> Handle:
    library = tensorflow_library()
    memory = ctypes.create_string_buffer(max(1, array.size) * TSTRING_BYTES)
    address = ctypes.addressof(memory)
    for index, value in enumerate(array.ravel().tolist()):
        library.TF_StringInit(address + index * TSTRING_BYTES)
        library.TF_StringCopy(address + index * TSTRING_BYTES, value, len(value))
    number = next(_numbers)
    _held_strings[number] = (memory, array.size)
    return Handle(
        library.TF_NewTensor(
            STRING, dims, array.ndim, address, array.size * TSTRING_BYTES, _free_strings, number
        )
    )


@Deallocator
def _free_strings(address: int | None, _length: int, number: int) -> None:
    _, count = _held_strings.pop(number)
    for index in range(count):
        tensorflow_library().TF_StringDealloc((address or 0) + index * TSTRING_BYTES)


def _strings_from_tensorflow(address: int, shape: list[int]) -> Tensor:
    library = tensorflow_library()
    array = np.empty(math.prod(shape), dtype=object)
    for index in range(array.size):
        string = address + index * TSTRING_BYTES
        array[index] = ctypes.string_at(
            library.TF_StringGetDataPointer(string), library.TF_StringGetSize(string)
        )
    return array.reshape(shape)
