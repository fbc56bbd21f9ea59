"""Configuration files in protobuf's text format, read into messages.

The batching, monitoring and TLS messages are part of TensorFlow Serving's server and in no Python
package, so they are declared here, field for field, in a descriptor pool of their own.
"""

from pathlib import Path
from typing import Any, TypeVar

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format
from google.protobuf.message import Message

from serving.errors import StartError

M = TypeVar("M", bound=Message)

_INT64, _BOOL, _STRING, _MESSAGE = 3, 8, 9, 11  # FieldDescriptorProto.Type
_OPTIONAL, _REPEATED = 1, 3  # FieldDescriptorProto.Label

# Message -> field name -> (number, type, label, message type); after session_bundle_config.proto
# (whose numbers are wrapped, `max_batch_size { value: 8 }`), monitoring_config.proto and
# ssl_config.proto.
_MESSAGES: dict[str, dict[str, tuple[int, int, int, str]]] = {
    "Int64Value": {"value": (1, _INT64, _OPTIONAL, "")},
    "BoolValue": {"value": (1, _BOOL, _OPTIONAL, "")},
    "StringValue": {"value": (1, _STRING, _OPTIONAL, "")},
    "BatchingParameters": {
        "max_batch_size": (1, _MESSAGE, _OPTIONAL, "Int64Value"),
        "batch_timeout_micros": (2, _MESSAGE, _OPTIONAL, "Int64Value"),
        "max_enqueued_batches": (3, _MESSAGE, _OPTIONAL, "Int64Value"),
        "num_batch_threads": (4, _MESSAGE, _OPTIONAL, "Int64Value"),
        "thread_pool_name": (5, _MESSAGE, _OPTIONAL, "StringValue"),
        "allowed_batch_sizes": (6, _INT64, _REPEATED, ""),
        "pad_variable_length_inputs": (7, _BOOL, _OPTIONAL, ""),
        "enable_large_batch_splitting": (8, _MESSAGE, _OPTIONAL, "BoolValue"),
        "max_execution_batch_size": (9, _MESSAGE, _OPTIONAL, "Int64Value"),
    },
    "PrometheusConfig": {
        "enable": (1, _BOOL, _OPTIONAL, ""),
        "path": (2, _STRING, _OPTIONAL, ""),
    },
    "MonitoringConfig": {"prometheus_config": (1, _MESSAGE, _OPTIONAL, "PrometheusConfig")},
    "SSLConfig": {
        "server_key": (1, _STRING, _OPTIONAL, ""),
        "server_cert": (2, _STRING, _OPTIONAL, ""),
        "custom_ca": (3, _STRING, _OPTIONAL, ""),
        "client_verify": (4, _BOOL, _OPTIONAL, ""),
    },
}


def _declare() -> descriptor_pool.DescriptorPool:
    file = descriptor_pb2.FileDescriptorProto(
        name="serving/text_protos.proto", package="text", syntax="proto3"
    )
    for message_name, fields in _MESSAGES.items():
        message = file.message_type.add(name=message_name)
        for name, (number, kind, label, type_name) in fields.items():
            field = message.field.add(name=name, number=number, type=kind, label=label)
            if type_name:
                field.type_name = f".text.{type_name}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool


def new_message(name: str) -> Any:  # noqa: ANN401 - its fields are known to protobuf alone
    """An empty `BatchingParameters`, `MonitoringConfig` or `SSLConfig`."""
    return message_factory.GetMessageClass(_declare().FindMessageTypeByName(f"text.{name}"))()


def read_text_proto(path: Path, message: M) -> M:
    """`message`, filled from the text-format file at `path`.

    Raises:
        StartError: the file is not there or does not parse; names the file and the place in it.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise StartError(f"NOT_FOUND: {path}; {error.strerror}") from error
    except OSError as error:
        raise StartError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise StartError(f"Invalid protobuf file: '{path}': it is not UTF-8 text") from error
    try:
        return text_format.Parse(text, message)
    except text_format.ParseError as error:
        raise StartError(
            f"Error parsing text-format {message.DESCRIPTOR.full_name}: {error}\n"
            f"Invalid protobuf file: '{path}'"
        ) from error
