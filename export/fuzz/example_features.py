"""A tf.Example that has every feature which a graph parses out of one, and a deadly one."""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import tensorflow as tf

from export.fuzz.encoded import photos

ENDLESS_EXAMPLE = "an Example with an endless list"
"""How a report names what `endless_example` makes."""

_PARSERS = ("ParseExample", "ParseExampleV2")
_FIELDS = {"bytes_list": 1, "float_list": 2, "int64_list": 3}
"""Numbers of the fields of tf.train.Feature."""

_ENDLESS_LIST = b"\x0a\x80\x80\x80\x80\x08"
"""A list's first field, said to be of 2**31 bytes, and no byte more."""


def wanted_example(graph_def: Any) -> bytes:  # noqa: ANN401
    """A serialized Example: zeros, and a photo for each text; empty where none is parsed."""
    features: dict[str, Any] = {}
    for nodes in (graph_def.node, *(each.node_def for each in graph_def.library.function)):
        constants = {node.name: node for node in nodes if node.op == "Const"}
        for node in nodes:
            if node.op in _PARSERS:
                features.update(_dense_features(node, constants))
    if not features:
        return b""
    example = tf.train.Example(features=tf.train.Features(feature=features))
    return bytes(example.SerializeToString(deterministic=True))


def endless_example(example: bytes) -> bytes:
    """The same features, each said to be longer than there are bytes.

    TensorFlow 2.21 takes the length for a negative number: tf.io.parse_example then reads far
    beyond the text, and the process ends.
    """
    features = tf.train.Example.FromString(example).features.feature
    entries = (
        _field(1, key.encode())
        + _field(2, _field(_FIELDS[features[key].WhichOneof("kind")], _ENDLESS_LIST))
        for key in sorted(features)
    )
    return _field(1, b"".join(_field(1, entry) for entry in entries))


def _field(number: int, content: bytes) -> bytes:
    """A length-delimited field of protobuf's wire format."""
    length, digits = len(content), bytearray([number << 3 | 2])
    while length > 0x7F:
        digits.append(length & 0x7F | 0x80)
        length >>= 7
    return bytes(digits) + bytes([length]) + content


def _dense_features(node: Any, constants: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    shapes = [tf.TensorShape(shape) for shape in node.attr["dense_shapes"].list.shape]
    dtypes = [tf.dtypes.as_dtype(number) for number in node.attr["Tdense"].list.type]
    keys = list(_keys(_key_inputs(node, len(dtypes)), constants))
    if len(keys) == len(dtypes):
        for key, dtype, shape in zip(keys, dtypes, shapes, strict=True):
            yield key, _feature(dtype, math.prod(dim or 1 for dim in shape))


def _key_inputs(node: Any, dense: int) -> list[str]:  # noqa: ANN401
    """ParseExampleV2(serialized, names, sparse_keys, dense_keys, ...): vectors of keys.

    ParseExample(serialized, names, *sparse_keys, *dense_keys, ...): a scalar each.
    """
    inputs = list(node.input)
    if node.op == "ParseExampleV2":
        return inputs[3:4]
    first = 2 + node.attr["Nsparse"].i
    return inputs[first : first + dense]


def _keys(inputs: Iterable[str], constants: Mapping[str, Any]) -> Iterator[str]:
    for name in inputs:
        constant = constants.get(name.partition(":")[0])
        if constant is not None:
            for key in tf.make_ndarray(constant.attr["value"].tensor).flat:
                yield key.decode()


def _feature(dtype: tf.DType, count: int) -> Any:  # noqa: ANN401
    if dtype == tf.string:
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[photos()[0]] * count))
    if dtype == tf.int64:
        return tf.train.Feature(int64_list=tf.train.Int64List(value=[0] * count))
    return tf.train.Feature(float_list=tf.train.FloatList(value=[0.0] * count))
