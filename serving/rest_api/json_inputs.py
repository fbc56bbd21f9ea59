"""What a REST predict body brings: TensorFlow Serving's row and column formats, read into tensors.

{"instances": [row, row]}       a row is a value, or {alias: value} for several inputs
{"inputs": value}               or {alias: value}
{"b64": "..."}                  bytes, wherever a string is expected
"""

import binascii
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from serving.errors import Fault, ServingError
from serving.messages import types_pb2
from serving.rest_api.json_text import shown
from serving.runtime.dtypes import NUMPY_DTYPES, STRING, dtype_name
from serving.runtime.signature import Signature, TensorInfo
from serving.runtime.tensors import Tensor

Json = Any

_MOST_DIMENSIONS = 64  # of a numpy array; TensorFlow ends the process at 255

_INTEGERS = {
    types_pb2.DT_INT8, types_pb2.DT_INT16, types_pb2.DT_INT32, types_pb2.DT_INT64,
    types_pb2.DT_UINT8, types_pb2.DT_UINT32, types_pb2.DT_UINT64,
}  # fmt: skip
_FLOATS = {types_pb2.DT_FLOAT, types_pb2.DT_DOUBLE}
# The Python types that orjson gives for a JSON value which fits the dtype.
_FITTING: dict[int, frozenset[type]] = {
    **dict.fromkeys(_INTEGERS, frozenset({int})),
    **dict.fromkeys(_FLOATS, frozenset({int, float})),
    types_pb2.DT_BOOL: frozenset({bool}),
    STRING: frozenset({str, dict}),
}
_JSON_TYPES = {
    type(None): "Null", bool: "True", dict: "Object", list: "Array", str: "String",
    int: "Number", float: "Number",
}  # fmt: skip


def is_row_format(document: Json) -> bool:
    """Whether a predict body is in row format (`instances`) rather than column (`inputs`).

    Raises:
        ServingError: the body is no object, or has not exactly one of the two.
    """
    if not isinstance(document, dict):
        raise _invalid(f"JSON Value: {shown(document)} Is not object")
    if "instances" in document and "inputs" in document:
        raise _invalid(
            f"JSON Value: {shown(document)} Not formatted correctly expecting only one of "
            "'inputs' or 'instances' keys to exist "
        )
    if "instances" not in document and "inputs" not in document:
        raise _invalid("Missing 'inputs' or 'instances' key")
    return "instances" in document


def read_inputs(document: Json, signature: Signature) -> dict[str, Tensor]:
    """The tensors in a predict body, by input alias.

    Raises:
        ServingError: the body does not fit the signature; names the item and what was expected.
    """
    if not signature.inputs:
        raise _invalid(f"Failed to get input map for signature: {signature.name}")
    if is_row_format(document):
        return _read_rows(document, signature.inputs)
    return _read_columns(document["inputs"], signature.inputs)


def _read_rows(document: Json, infos: Mapping[str, TensorInfo]) -> dict[str, Tensor]:
    rows = document["instances"]
    if not isinstance(rows, list):
        raise _invalid(f"JSON Value: {shown(document)} Expecting 'instances' to be an list/array")
    if not rows:
        raise _invalid(f"JSON Value: {shown(document)} No values in 'instances' array")
    if not _is_named(rows[0]):
        return _read_bare_rows(rows, infos)
    for index, row in enumerate(rows):
        if not _is_named(row):
            raise _invalid(f"Expecting object but got list at item {index} of input list")
        _check_aliases(index, row, infos)
    return {
        alias: _stack([row[alias] for row in rows], info, f" key: {alias}")
        for alias, info in infos.items()
    }


def _read_bare_rows(rows: list[Json], infos: Mapping[str, TensorInfo]) -> dict[str, Tensor]:
    if len(infos) != 1:
        raise _invalid(
            f"instances is a plain list, but expecting list of objects as multiple input "
            f"tensors required as per tensorinfo_map: {','.join(sorted(infos))}"
        )
    for index, row in enumerate(rows):
        if _is_named(row):
            raise _invalid(f"Expecting value/list but got object at item {index} of input list")
    alias, info = next(iter(infos.items()))
    return {alias: _stack(rows, info, "")}


def _read_columns(inputs: Json, infos: Mapping[str, TensorInfo]) -> dict[str, Tensor]:
    if _is_named(inputs):
        missing = next((alias for alias in infos if alias not in inputs), None)
        if missing is not None:
            raise _invalid(f"Missing named input: {missing} in 'inputs' object.")
        return {alias: _tensor(inputs[alias], info) for alias, info in infos.items()}
    if len(infos) != 1:
        raise _invalid(
            "inputs is a plain value/list, but expecting an object as multiple input tensors "
            f"required as per tensorinfo_map: {','.join(sorted(infos))}"
        )
    alias, info = next(iter(infos.items()))
    return {alias: _tensor(inputs, info)}


def _check_aliases(index: int, row: Mapping[str, Json], infos: Mapping[str, TensorInfo]) -> None:
    for alias in row:
        if alias not in infos:
            raise _invalid(
                f"Failed to process element: {index} key: {alias} of 'instances' list. Error: "
                f"INVALID_ARGUMENT: JSON object: does not have named input: {alias}"
            )
    if row.keys() != infos.keys():
        raise _invalid(
            f"Failed to process element: {index} of 'instances' list. JSON object: "
            f"{shown(row)} keys must be equal to: {','.join(sorted(infos))}"
        )


def _stack(values: list[Json], info: TensorInfo, where: str) -> Tensor:
    """The rows of one input as one tensor; an error names the row."""
    try:
        return _tensor(values, info)
    except ServingError as whole:
        first: Tensor | None = None
        for index, value in enumerate(values):
            try:
                array = _tensor(value, info)
                first = array if first is None else first
                _check_same_shape(array, first)
            except ServingError as error:
                raise _invalid(
                    f"Failed to process element: {index}{where} of 'instances' list. "
                    f"Error: {error.fault.name}: {error.sentence}"
                ) from error
        raise whole from None


def _check_same_shape(array: Tensor, first: Tensor) -> None:
    if array.size != first.size:
        raise _invalid(f"Expecting tensor size: {first.size} but got: {array.size}")
    if array.shape != first.shape:
        raise _invalid(f"Expecting shape {list(first.shape)} but got: {list(array.shape)}")


def _tensor(value: Json, info: TensorInfo) -> Tensor:
    """A JSON value, nested as deep as the tensor's rank, as a tensor of the input's dtype."""
    shape = _shape(value)
    leaves = _leaves(value, shape)
    fitting = _FITTING.get(info.dtype)
    if fitting is None:
        example = shown(leaves[0]) if leaves else "[]"
        raise ServingError(
            Fault.UNIMPLEMENTED,
            f"Conversion of JSON Value: {example} to type: {dtype_name(info.dtype)}",
        )
    if not fitting.issuperset(map(type, leaves)):
        misfit = next(leaf for leaf in leaves if type(leaf) not in fitting)
        raise _misfit(misfit, info.dtype)
    if info.dtype == STRING:
        strings = np.empty(len(leaves), object)
        strings[:] = [_bytes(leaf) for leaf in leaves]
        return strings.reshape(shape)
    return _numbers(leaves, info.dtype).reshape(shape)


def _numbers(leaves: Sequence[Any], dtype: int) -> Tensor:
    wanted = NUMPY_DTYPES[dtype]
    if dtype not in _INTEGERS:
        with np.errstate(over="ignore"):  # 1e39 is Infinity as a float, as in TensorFlow Serving
            return np.array(leaves, np.float64 if dtype in _FLOATS else bool).astype(wanted)
    bounds = np.iinfo(np.int64 if wanted.kind == "i" or wanted.itemsize < 4 else wanted)
    for leaf in leaves:
        if not bounds.min <= leaf <= bounds.max:
            raise _misfit(leaf, dtype)
    return np.array(leaves, bounds.dtype).astype(wanted)


def _shape(value: Json) -> tuple[int, ...]:
    """The shape that the first item at each depth suggests; `_leaves` holds the others to it.

    Raises:
        ServingError: it is nested deeper than a tensor can be.
    """
    shape: list[int] = []
    while isinstance(value, list):
        if len(shape) == _MOST_DIMENSIONS:
            raise _invalid(f"Encountered list deeper than {_MOST_DIMENSIONS} levels")
        shape.append(len(value))
        if not value:
            break
        value = value[0]
    return tuple(shape)


def _leaves(value: Json, shape: tuple[int, ...]) -> list[Any]:
    items = [value]
    for depth, size in enumerate(shape):
        for item in items:
            if not isinstance(item, list):
                raise _invalid(
                    f"JSON Value: {shown(item)} found at incorrect level: {depth + 1} in the "
                    f"JSON DOM. Expected at level: {len(shape)}"
                )
            if len(item) != size:
                raise _invalid(
                    f"Encountered list at unexpected size: {len(item)} at level: {depth} "
                    f"expected size: {size}"
                )
        items = list(itertools.chain.from_iterable(items))
    if any(isinstance(item, list) for item in items):
        raise _invalid(f"Encountered list at unexpected level: {len(shape)}")
    return items if math.prod(shape) else []


def _bytes(leaf: Json) -> bytes:
    if isinstance(leaf, str):
        try:
            return leaf.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError as error:  # an escape such as \ud800 that has no partner
            raise _invalid("The surrogate pair in string is invalid.") from error
    encoded = leaf.get("b64")
    if len(leaf) != 1 or not isinstance(encoded, str):
        raise _misfit(leaf, STRING)
    try:
        padded = encoded + "=" * (-len(encoded) % 4)
        return binascii.a2b_base64(padded, strict_mode=True)
    except (binascii.Error, ValueError) as error:
        raise _invalid("Unable to base64 decode") from error


def _is_named(value: Json) -> bool:
    """Whether a value is {alias: value}, and not bytes in base64."""
    return isinstance(value, dict) and not (len(value) == 1 and isinstance(value.get("b64"), str))


def _misfit(value: Json, dtype: int) -> ServingError:
    kind = "False" if value is False else _JSON_TYPES[type(value)]
    return _invalid(
        f"JSON Value: {shown(value)} Type: {kind} is not of expected type: {dtype_name(dtype)}"
    )


def _invalid(sentence: str) -> ServingError:
    return ServingError(Fault.INVALID_ARGUMENT, sentence)
