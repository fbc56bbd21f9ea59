"""TensorFlow Serving's `batching_parameters_file`.

Its message is part of the server and in no Python package, so it is declared here, after
session_bundle_config.proto; its numbers are wrapped, `max_batch_size { value: 8 }`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format

from export.errors import ExportError

_WRAPPED = {
    "max_batch_size": (1, "Int64Value"),
    "batch_timeout_micros": (2, "Int64Value"),
    "max_enqueued_batches": (3, "Int64Value"),
    "num_batch_threads": (4, "Int64Value"),
    "thread_pool_name": (5, "StringValue"),
    "enable_large_batch_splitting": (8, "BoolValue"),
    "max_execution_batch_size": (9, "Int64Value"),
}
_LEAST = {
    "max_batch_size": 1,
    "batch_timeout_micros": 0,
    "max_enqueued_batches": 0,
    "num_batch_threads": 1,
}
_DEFAULT_MAX_BATCH_SIZE = 1000


@dataclass(frozen=True, kw_only=True)
class Batching:
    """What the file says of sizes."""

    max_batch_size: int
    """Most rows of a request, and of a batch unless large ones are split."""

    allowed_batch_sizes: tuple[int, ...]
    """Sizes that a batch is padded up to."""

    @property
    def only_size(self) -> int | None:
        """The one size that every batch has, where there is only one."""
        if len(self.allowed_batch_sizes) == 1:
            return self.allowed_batch_sizes[0]
        return 1 if self.max_batch_size == 1 else None


def read_batching(path: Path) -> tuple[Batching, list[str]]:
    """The parameters, and what a server would not take in them, a sentence each.

    Raises:
        ExportError: the file cannot be read or does not parse.
    """
    message = _message()
    try:
        text_format.Parse(path.read_text(encoding="utf-8"), message)
    except (OSError, text_format.ParseError, UnicodeDecodeError) as error:
        raise ExportError(f"{path} does not parse as BatchingParameters: {error}") from error
    batching = Batching(
        max_batch_size=_value(message, "max_batch_size", _DEFAULT_MAX_BATCH_SIZE),
        allowed_batch_sizes=tuple(message.allowed_batch_sizes),
    )
    most = batching.max_batch_size
    if message.enable_large_batch_splitting.value:
        most = _value(message, "max_execution_batch_size", most)
    return batching, [*_out_of_bounds(message), *_wrong_sizes(batching.allowed_batch_sizes, most)]


def _value(message: Any, name: str, default: int) -> int:  # noqa: ANN401
    return int(getattr(message, name).value) if message.HasField(name) else default


def _out_of_bounds(message: Any) -> Iterator[str]:  # noqa: ANN401
    for name, least in _LEAST.items():
        if message.HasField(name) and getattr(message, name).value < least:
            yield f"{name} is {getattr(message, name).value}, expected at least {least}"


def _wrong_sizes(sizes: tuple[int, ...], most: int) -> Iterator[str]:
    if list(sizes) != sorted(set(sizes)) or (sizes and sizes[0] < 1):
        yield f"allowed_batch_sizes {list(sizes)} are not positive and increasing"
    if sizes and sizes[-1] != most:
        yield f"the last of allowed_batch_sizes is {sizes[-1]}, max_batch_size is {most}"


def _message() -> Any:  # noqa: ANN401 - its fields are known to protobuf alone
    """An empty BatchingParameters."""
    file = descriptor_pb2.FileDescriptorProto(
        name="export/batching.proto", package="batching", syntax="proto3"
    )
    kinds = descriptor_pb2.FieldDescriptorProto
    for name, kind in {
        "Int64Value": kinds.TYPE_INT64,
        "BoolValue": kinds.TYPE_BOOL,
        "StringValue": kinds.TYPE_STRING,
    }.items():
        file.message_type.add(name=name).field.add(
            name="value", number=1, type=kind, label=kinds.LABEL_OPTIONAL
        )
    parameters = file.message_type.add(name="BatchingParameters").field
    for name, (number, wrapper) in _WRAPPED.items():
        parameters.add(
            name=name,
            number=number,
            type=kinds.TYPE_MESSAGE,
            type_name=f".batching.{wrapper}",
            label=kinds.LABEL_OPTIONAL,
        )
    parameters.add(
        name="allowed_batch_sizes", number=6, type=kinds.TYPE_INT64, label=kinds.LABEL_REPEATED
    )
    parameters.add(
        name="pad_variable_length_inputs",
        number=7,
        type=kinds.TYPE_BOOL,
        label=kinds.LABEL_OPTIONAL,
    )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found = pool.FindMessageTypeByName("batching.BatchingParameters")
    return message_factory.GetMessageClass(found)()
