"""Dynamic batching by TensorFlow's own scheduler, the one that TensorFlow Serving uses.

A signature of a SavedModel is one call node in the graph. Beside it a BatchFunction node is
added that calls the same function, and requests run that node instead:

    fed placeholders --+--> PartitionedCall(f) ------> outputs        (one request, one run)
                       |
                       +--> BatchFunction(f)  -------> outputs        (many requests, one run)
    variable handles --+      in_tensors + captured_tensors

Each request blocks in its own TF_SessionRun; the scheduler joins the waiting ones, runs `f` once
and hands every request its rows.
"""

import ctypes
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serving.config.text_protos import new_message, read_text_proto
from serving.errors import StartError
from serving.runtime.session import Session
from serving.runtime.signature import Signature
from serving.runtime.tensorflow_library import (
    Handle,
    Output,
    Status,
    read_buffer,
    tensorflow_library,
)

_CALL_OPS = (b"PartitionedCall", b"StatefulPartitionedCall")


@dataclass(frozen=True, kw_only=True)
class BatchingParameters:
    """TensorFlow Serving's `batching_parameters_file`, with its defaults."""

    max_batch_size: int = 1000
    """Most rows that one run may have; a larger request is refused."""

    batch_timeout_micros: int = 0
    """How long a batch that is not full waits for more requests."""

    max_enqueued_batches: int = 10
    """Full batches that may wait; beyond them a request is refused with UNAVAILABLE."""

    num_batch_threads: int = os.cpu_count() or 1
    """Batches that run at the same time."""

    allowed_batch_sizes: tuple[int, ...] = ()
    """Sizes that a batch is padded up to; the last one equals max_batch_size."""

    def __post_init__(self) -> None:
        for name, least in (
            ("max_batch_size", 1),
            ("batch_timeout_micros", 0),
            ("max_enqueued_batches", 1),
            ("num_batch_threads", 1),
        ):
            if getattr(self, name) < least:
                raise StartError(
                    f"batching parameters: {name} must be at least {least}, "
                    f"got {getattr(self, name)}"
                )
        sizes = self.allowed_batch_sizes
        if list(sizes) != sorted(set(sizes)) or (sizes and sizes[0] < 1):
            raise StartError(
                "batching parameters: allowed_batch_sizes must be positive and ascending, "
                f"got {list(sizes)}"
            )
        if sizes and sizes[-1] != self.max_batch_size:
            raise StartError(
                "Last entry in allowed_batch_sizes must match max_batch_size; "
                f"last entry was {sizes[-1]}; expected {self.max_batch_size}"
            )


def read_batching_parameters(path: Path) -> BatchingParameters:
    """The parameters in a TensorFlow Serving batching file.

    Raises:
        StartError: the file does not parse, or a value is out of its bounds.
    """
    message: Any = read_text_proto(path, new_message("BatchingParameters"))
    given = {
        name: getattr(message, name).value
        for name in (
            "max_batch_size",
            "batch_timeout_micros",
            "max_enqueued_batches",
            "num_batch_threads",
        )
        if message.HasField(name)
    }
    return BatchingParameters(allowed_batch_sizes=tuple(message.allowed_batch_sizes), **given)


def add_batch_function(
    session: Session, signature: Signature, parameters: BatchingParameters
) -> dict[str, Output] | None:
    """Add a batching twin of the signature's call node to the session's graph.

    Returns:
        The batched endpoint of each output alias; None where the signature is not one call node
        whose function takes the fed inputs first, as in models built without functions (TF1).
    """
    fed = [session.endpoint(info.tensor_name) for info in signature.inputs.values()]
    fetched = {
        alias: session.endpoint(info.tensor_name) for alias, info in signature.outputs.items()
    }
    call = _call_node(list(fetched.values()))
    if call is None or not fed:
        return None
    inputs = _inputs(call)
    fed_keys = {(output.operation, output.index) for output in fed}
    leading = inputs[: len(fed)]
    if {(output.operation, output.index) for output in leading} != fed_keys:
        return None
    batched = _new_batch_function(session, signature.name, call, len(fed), parameters)
    return {alias: Output(batched.value, output.index) for alias, output in fetched.items()}


def _call_node(outputs: Sequence[Output]) -> Handle | None:
    operations = {output.operation for output in outputs}
    if len(operations) != 1:
        return None
    call = Handle(operations.pop())
    return call if tensorflow_library().TF_OperationOpType(call) in _CALL_OPS else None


def _inputs(operation: Handle) -> list[Output]:
    library = tensorflow_library()
    return [
        library.TF_OperationInput(Output(operation.value, index))
        for index in range(library.TF_OperationNumInputs(operation))
    ]


def _new_batch_function(
    session: Session, name: str, call: Handle, fed: int, parameters: BatchingParameters
) -> Handle:
    library = tensorflow_library()
    inputs = _inputs(call)
    description = library.TF_NewOperation(
        session.graph, b"BatchFunction", f"batched_{name}".encode()
    )
    for group in (inputs[:fed], inputs[fed:]):
        library.TF_AddInputList(description, (Output * len(group))(*group), len(group))
    function = _attribute(call, b"f")
    with Status() as status:
        library.TF_SetAttrValueProto(description, b"f", function, len(function), status)
    for attribute, number in _numbers(parameters).items():
        library.TF_SetAttrInt(description, attribute.encode(), number)
    sizes = parameters.allowed_batch_sizes
    library.TF_SetAttrIntList(
        description, b"allowed_batch_sizes", (ctypes.c_int64 * len(sizes))(*sizes), len(sizes)
    )
    library.TF_SetAttrBool(description, b"enable_large_batch_splitting", 0)
    library.TF_SetAttrString(description, b"shared_name", name.encode(), len(name.encode()))
    types = _attribute(call, b"Tout")
    with Status() as status:
        library.TF_SetAttrValueProto(description, b"Tout", types, len(types), status)
    with Status() as status:
        return Handle(library.TF_FinishOperation(description, status))


def _numbers(parameters: BatchingParameters) -> Mapping[str, int]:
    return {
        "num_batch_threads": parameters.num_batch_threads,
        "max_batch_size": parameters.max_batch_size,
        "batch_timeout_micros": parameters.batch_timeout_micros,
        "max_enqueued_batches": parameters.max_enqueued_batches,
    }


def _attribute(operation: Handle, name: bytes) -> bytes:
    buffer = tensorflow_library().TF_NewBuffer()
    with Status() as status:
        tensorflow_library().TF_OperationGetAttrValueProto(operation, name, buffer, status)
    return read_buffer(buffer)
