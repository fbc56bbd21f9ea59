"""The messages of TensorFlow Serving's Predict call, declared here without TensorFlow.

The official stubs import TensorFlow: seconds and half a gigabyte for each load generator. These
are the same messages with the fields that a load test needs, in a descriptor pool of their own:

    PredictRequest  { ModelSpec model_spec = 1;  map<string, TensorProto> inputs = 2; }
    PredictResponse { map<string, TensorProto> outputs = 1;  ModelSpec model_spec = 2; }

A test holds their bytes to those of the official stubs.
"""

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PREDICT_METHOD = "/tensorflow.serving.PredictionService/Predict"
DT_STRING = 7  # tensorflow/core/framework/types.proto

_Field = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "bytes": _Field.TYPE_BYTES,
    "float": _Field.TYPE_FLOAT,
    "int32": _Field.TYPE_INT32,  # on the wire an enum is an int32
    "int64": _Field.TYPE_INT64,
    "string": _Field.TYPE_STRING,
}


def _add_field(message: Any, number: int, name: str, kind: str) -> None:  # noqa: ANN401
    """Adds one field; kind is a scalar, a message's full name, or either after `repeated `."""
    type_name = kind.removeprefix("repeated ")
    field = message.field.add(name=name, number=number)
    field.label = _Field.LABEL_OPTIONAL if type_name == kind else _Field.LABEL_REPEATED
    if type_name in _SCALARS:
        field.type = _SCALARS[type_name]
    else:
        field.type, field.type_name = _Field.TYPE_MESSAGE, type_name


def _add_tensor_map(message: Any, number: int, name: str) -> None:  # noqa: ANN401
    """Adds `map<string, TensorProto> name = number`, which is a repeated entry message."""
    entry = message.nested_type.add(name=f"{name.capitalize()}Entry")
    entry.options.map_entry = True
    _add_field(entry, 1, "key", "string")
    _add_field(entry, 2, "value", ".tensorflow.TensorProto")
    full_name = f".tensorflow.serving.{message.name}.{entry.name}"
    _add_field(message, number, name, f"repeated {full_name}")


def _tensor_file() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(name="tensor", package="tensorflow", syntax="proto3")
    shape = file.message_type.add(name="TensorShapeProto")
    dim = shape.nested_type.add(name="Dim")
    _add_field(dim, 1, "size", "int64")
    _add_field(shape, 2, "dim", "repeated .tensorflow.TensorShapeProto.Dim")
    tensor = file.message_type.add(name="TensorProto")
    _add_field(tensor, 1, "dtype", "int32")
    _add_field(tensor, 2, "tensor_shape", ".tensorflow.TensorShapeProto")
    _add_field(tensor, 4, "tensor_content", "bytes")
    _add_field(tensor, 5, "float_val", "repeated float")
    _add_field(tensor, 8, "string_val", "repeated bytes")
    return file


def _predict_file() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(
        name="predict", package="tensorflow.serving", syntax="proto3", dependency=["tensor"]
    )
    spec = file.message_type.add(name="ModelSpec")
    _add_field(spec, 1, "name", "string")
    _add_field(spec, 3, "signature_name", "string")
    request = file.message_type.add(name="PredictRequest")
    _add_field(request, 1, "model_spec", ".tensorflow.serving.ModelSpec")
    _add_tensor_map(request, 2, "inputs")
    response = file.message_type.add(name="PredictResponse")
    _add_tensor_map(response, 1, "outputs")
    _add_field(response, 2, "model_spec", ".tensorflow.serving.ModelSpec")
    return file


def _message_classes() -> dict[str, Any]:
    pool = descriptor_pool.DescriptorPool()
    pool.Add(_tensor_file())
    pool.Add(_predict_file())
    names = ("PredictRequest", "PredictResponse")
    return {
        name: message_factory.GetMessageClass(
            pool.FindMessageTypeByName(f"tensorflow.serving.{name}")
        )
        for name in names
    }


_CLASSES = _message_classes()
PredictRequest: Any = _CLASSES["PredictRequest"]
PredictResponse: Any = _CLASSES["PredictResponse"]
