"""What a REST predict reply prints: tensors in TensorFlow Serving's row and column formats."""

import binascii
from collections.abc import Mapping
from typing import Any

import numpy as np

from serving.errors import Fault, ServingError
from serving.runtime.tensors import Tensor

Json = Any


def write_rows(outputs: Mapping[str, Tensor]) -> Json:
    """The `predictions` of a row-format reply: a list with an entry for each row.

    Raises:
        ServingError: an output has no rows, or another number of them.
    """
    rows = None
    for alias, array in outputs.items():
        if array.ndim == 0:
            raise ServingError(
                Fault.INVALID_ARGUMENT, f"Tensor name: {alias} has no shape information "
            )
        if rows is not None and array.shape[0] != rows:
            raise ServingError(
                Fault.INVALID_ARGUMENT,
                f"Tensor name: {alias} has inconsistent batch size: {array.shape[0]} "
                f"expecting: {rows}",
            )
        rows = array.shape[0]
    columns = {alias: _writable(alias, array) for alias, array in outputs.items()}
    if len(columns) == 1:
        return next(iter(columns.values()))
    return [{alias: column[row] for alias, column in columns.items()} for row in range(rows or 0)]


def write_columns(outputs: Mapping[str, Tensor]) -> Json:
    """The `outputs` of a column-format reply: a value, or one for each alias."""
    columns = {alias: _writable(alias, array) for alias, array in outputs.items()}
    return next(iter(columns.values())) if len(columns) == 1 else columns


def _writable(alias: str, array: Tensor) -> Json:
    """What a reply prints for an output: the array, or its strings as text or base64."""
    if array.dtype != object:
        if array.dtype.kind not in "fiub" or (
            array.dtype.itemsize == 2 and array.dtype.kind == "f"
        ):
            raise ServingError(
                Fault.UNIMPLEMENTED, f"Encoding JSON of tensor {alias} of type {array.dtype}"
            )
        return _shortest(array) if array.dtype == np.float32 else np.asarray(array, order="C")
    as_base64 = alias.endswith("_bytes")
    return _strings(array, as_base64=as_base64)


def _shortest(array: Tensor) -> Json:
    """float32 values as TensorFlow prints them: six digits where they suffice, else nine."""
    if array.ndim:
        return [_shortest(item) for item in array]
    value = float(array)
    six = float(f"{value:.6g}")
    return six if np.float32(six) == array else float(f"{value:.9g}")


def _strings(array: Tensor, *, as_base64: bool) -> Json:
    if array.ndim:
        return [_strings(np.asarray(item, object), as_base64=as_base64) for item in array]
    value: bytes = array.item()
    if as_base64:
        return {"b64": binascii.b2a_base64(value, newline=False).decode()}
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value
