"""A SavedModel loaded into a TensorFlow session: the one place where TensorFlow computes."""

import ctypes
import math
from collections.abc import Sequence
from pathlib import Path

from serving.errors import Fault, ServingError
from serving.messages import config_pb2, meta_graph_pb2
from serving.runtime.tensorflow_library import (
    Buffer,
    Handle,
    Output,
    Status,
    read_buffer,
    tensorflow_library,
)
from serving.runtime.tensors import Tensor, from_tensorflow, to_tensorflow

Feed = tuple[Output, Tensor]


class Session:
    """The session path that TensorFlow Serving takes, so answers and errors are the same.

    `run` may be called from any number of threads at once; `close` once, after the last `run`.
    """

    def __init__(self, path: Path, tags: Sequence[str], config: config_pb2.ConfigProto) -> None:
        """Load the SavedModel in the folder `path`.

        Raises:
            ServingError: TensorFlow refuses it, in TensorFlow's words.
        """
        library = tensorflow_library()
        self.graph = Handle(library.TF_NewGraph())
        meta_graph = library.TF_NewBuffer()
        options = Handle(library.TF_NewSessionOptions())
        serialized = config.SerializeToString()
        tag_array = (ctypes.c_char_p * len(tags))(*(tag.encode() for tag in tags))
        try:
            with Status() as status:
                library.TF_SetConfig(options, serialized, len(serialized), status)
            with Status() as status:
                session = library.TF_LoadSessionFromSavedModel(
                    options,
                    None,
                    str(path).encode(),
                    tag_array,
                    len(tags),
                    self.graph,
                    meta_graph,
                    status,
                )
        except BaseException:
            library.TF_DeleteBuffer(meta_graph)
            library.TF_DeleteGraph(self.graph)
            raise
        finally:
            library.TF_DeleteSessionOptions(options)
        self._session = Handle(session)
        self._endpoints: dict[str, Output] = {}
        meta = meta_graph_pb2.MetaGraphDef.FromString(read_buffer(meta_graph))
        # Only the signatures are kept: a frozen graph would be held twice.
        self.signature_defs = dict(meta.signature_def)

    def endpoint(self, tensor_name: str) -> Output:
        """The graph's output that a signature names, such as `serving_default_x:0`.

        Raises:
            ServingError: NOT_FOUND, the graph has no such operation.
        """
        if tensor_name not in self._endpoints:
            operation_name, _, index = tensor_name.partition(":")
            operation = tensorflow_library().TF_GraphOperationByName(
                self.graph, operation_name.encode()
            )
            if not operation:
                raise ServingError(
                    Fault.NOT_FOUND, f"a signature names {tensor_name}, which the graph has not"
                )
            self._endpoints[tensor_name] = Output(operation, int(index or 0))
        return self._endpoints[tensor_name]

    def run(
        self, feeds: Sequence[Feed], fetches: Sequence[Output], timeout_s: float | None = None
    ) -> list[Tensor]:
        """The values of `fetches`, computed from `feeds`.

        Raises:
            ServingError: in TensorFlow's words; DEADLINE_EXCEEDED after `timeout_s` seconds.
        """
        library = tensorflow_library()
        options = _run_options(timeout_s)
        inputs = [to_tensorflow(array) for _, array in feeds]
        outputs = (Handle * len(fetches))()
        try:
            with Status() as status:
                library.TF_SessionRun(
                    self._session,
                    options,
                    (Output * len(feeds))(*(output for output, _ in feeds)),
                    (Handle * len(feeds))(*inputs),
                    len(feeds),
                    (Output * len(fetches))(*fetches),
                    outputs,
                    len(fetches),
                    None,
                    0,
                    None,
                    status,
                )
            return [from_tensorflow(Handle(tensor)) for tensor in outputs]
        finally:
            for tensor in (*inputs, *outputs):
                if tensor:
                    library.TF_DeleteTensor(tensor)
            if options:
                library.TF_DeleteBuffer(options)

    def close(self) -> None:
        """Give the model's memory back."""
        library = tensorflow_library()
        with Status() as status:
            library.TF_CloseSession(self._session, status)
        with Status() as status:
            library.TF_DeleteSession(self._session, status)
        library.TF_DeleteGraph(self.graph)


def _run_options(timeout_s: float | None) -> "ctypes._Pointer[Buffer] | None":
    if timeout_s is None:
        return None
    timeout_ms = max(1, math.ceil(timeout_s * 1000))
    serialized = config_pb2.RunOptions(timeout_in_ms=timeout_ms).SerializeToString()
    buffer: ctypes._Pointer[Buffer] = tensorflow_library().TF_NewBufferFromString(
        serialized, len(serialized)
    )
    return buffer
