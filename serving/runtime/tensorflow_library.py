"""TensorFlow's C library, opened from the installed wheel without Python's TensorFlow.

The functions are those of `tensorflow/c/c_api.h`, the interface that the Go, Java and Rust
bindings stand on. ctypes lets go of the GIL while one of them runs.
"""

import ctypes
import functools
import logging
import os
import sys
from pathlib import Path

from serving.errors import Fault, ServingError, StartError
from serving.messages import tensorflow_folder

_log = logging.getLogger(__name__)

# Versions of TensorFlow, by their beginning, on which the tests have run.
TESTED_VERSIONS = ("2.21.",)

Handle = ctypes.c_void_p
Deallocator = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)

# sizeof(TF_TString): a union of 24 bytes on every 64-bit platform (ctstring_internal.h).
TSTRING_BYTES = 24


class Output(ctypes.Structure):
    """TF_Output: one output of one operation of a graph, used for feeds as for fetches."""

    _fields_ = (("operation", Handle), ("index", ctypes.c_int))


class Buffer(ctypes.Structure):
    """TF_Buffer: serialized bytes, here always protobuf messages."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("length", ctypes.c_size_t),
        ("deallocator", ctypes.c_void_p),
    )


_INT64S = ctypes.POINTER(ctypes.c_int64)
_HANDLES = ctypes.POINTER(Handle)
_OUTPUTS = ctypes.POINTER(Output)
_SIGNATURES: dict[str, tuple[type | None, list[type]]] = {
    "TF_Version": (ctypes.c_char_p, []),
    "TF_NewStatus": (Handle, []),
    "TF_DeleteStatus": (None, [Handle]),
    "TF_GetCode": (ctypes.c_int, [Handle]),
    "TF_Message": (ctypes.c_char_p, [Handle]),
    "TF_NewBuffer": (ctypes.POINTER(Buffer), []),
    "TF_NewBufferFromString": (ctypes.POINTER(Buffer), [ctypes.c_char_p, ctypes.c_size_t]),
    "TF_DeleteBuffer": (None, [ctypes.POINTER(Buffer)]),
    "TF_NewGraph": (Handle, []),
    "TF_DeleteGraph": (None, [Handle]),
    "TF_GraphOperationByName": (Handle, [Handle, ctypes.c_char_p]),
    "TF_NewSessionOptions": (Handle, []),
    "TF_DeleteSessionOptions": (None, [Handle]),
    "TF_SetConfig": (None, [Handle, ctypes.c_char_p, ctypes.c_size_t, Handle]),
    "TF_LoadSessionFromSavedModel": (
        Handle,
        [
            Handle,
            ctypes.POINTER(Buffer),
            ctypes.c_char_p,
            ctypes.POINTER(ctypes.c_char_p),
            ctypes.c_int,
            Handle,
            ctypes.POINTER(Buffer),
            Handle,
        ],
    ),
    "TF_CloseSession": (None, [Handle, Handle]),
    "TF_DeleteSession": (None, [Handle, Handle]),
    "TF_SessionRun": (
        None,
        [
            Handle,
            ctypes.POINTER(Buffer),
            _OUTPUTS,
            _HANDLES,
            ctypes.c_int,
            _OUTPUTS,
            _HANDLES,
            ctypes.c_int,
            _HANDLES,
            ctypes.c_int,
            ctypes.POINTER(Buffer),
            Handle,
        ],
    ),
    "TF_OperationOpType": (ctypes.c_char_p, [Handle]),
    "TF_OperationNumInputs": (ctypes.c_int, [Handle]),
    "TF_OperationNumOutputs": (ctypes.c_int, [Handle]),
    "TF_OperationInput": (Output, [Output]),
    "TF_OperationOutputType": (ctypes.c_int, [Output]),
    "TF_OperationGetAttrValueProto": (
        None,
        [Handle, ctypes.c_char_p, ctypes.POINTER(Buffer), Handle],
    ),
    "TF_NewOperation": (Handle, [Handle, ctypes.c_char_p, ctypes.c_char_p]),
    "TF_AddInputList": (None, [Handle, _OUTPUTS, ctypes.c_int]),
    "TF_SetAttrInt": (None, [Handle, ctypes.c_char_p, ctypes.c_int64]),
    "TF_SetAttrIntList": (None, [Handle, ctypes.c_char_p, _INT64S, ctypes.c_int]),
    "TF_SetAttrBool": (None, [Handle, ctypes.c_char_p, ctypes.c_ubyte]),
    "TF_SetAttrString": (None, [Handle, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]),
    "TF_SetAttrValueProto": (
        None,
        [Handle, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, Handle],
    ),
    "TF_FinishOperation": (Handle, [Handle, Handle]),
    "TF_AllocateTensor": (Handle, [ctypes.c_int, _INT64S, ctypes.c_int, ctypes.c_size_t]),
    "TF_NewTensor": (
        Handle,
        [
            ctypes.c_int,
            _INT64S,
            ctypes.c_int,
            ctypes.c_void_p,
            ctypes.c_size_t,
            Deallocator,
            ctypes.c_void_p,
        ],
    ),
    "TF_DeleteTensor": (None, [Handle]),
    "TF_TensorType": (ctypes.c_int, [Handle]),
    "TF_NumDims": (ctypes.c_int, [Handle]),
    "TF_Dim": (ctypes.c_int64, [Handle, ctypes.c_int]),
    "TF_TensorByteSize": (ctypes.c_size_t, [Handle]),
    "TF_TensorData": (ctypes.c_void_p, [Handle]),
    "TF_StringInit": (None, [ctypes.c_void_p]),
    "TF_StringCopy": (None, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]),
    "TF_StringGetDataPointer": (ctypes.c_void_p, [ctypes.c_void_p]),
    "TF_StringGetSize": (ctypes.c_size_t, [ctypes.c_void_p]),
    "TF_StringDealloc": (None, [ctypes.c_void_p]),
}


@functools.cache
def tensorflow_library() -> ctypes.CDLL:
    """The C library of the installed wheel, with its functions declared; loaded once.

    Raises:
        StartError: there is no such library, or it does not load on this machine.
    """
    # Weights never change under a served version, so oneDNN may keep its reordered copies of them.
    os.environ.setdefault("TF_ONEDNN_ASSUME_FROZEN_WEIGHTS", "1")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    path = library_path(tensorflow_folder(), sys.platform)
    try:
        library = ctypes.CDLL(str(path), mode=os.RTLD_LOCAL | os.RTLD_NOW)
        for function, (result, arguments) in _SIGNATURES.items():
            getattr(library, function).restype = result
            getattr(library, function).argtypes = arguments
    except (OSError, AttributeError) as error:
        raise StartError(f"cannot use TensorFlow's C library {path}: {error}") from error
    version = library.TF_Version().decode()
    if not version.startswith(TESTED_VERSIONS):
        _log.warning(
            "TensorFlow %s is untested here: tested is %s", version, " and ".join(TESTED_VERSIONS)
        )
    return library


def library_path(folder: Path, platform: str) -> Path:
    """The C library in a TensorFlow wheel's folder; `platform` is as in sys.platform.

    Raises:
        StartError: the wheel has none, or the platform has none at all.
    """
    names = {"linux": "libtensorflow_cc.so.2", "darwin": "libtensorflow_cc.2.dylib"}
    if platform not in names:
        raise StartError(
            f"the server runs on Linux and macOS, not on {platform}: TensorFlow's wheel has no C "
            "library there; use WSL or a container"
        )
    path = folder / names[platform]
    if not path.is_file():
        raise StartError(
            f"TensorFlow's wheel in {folder} has no {path.name}: install tensorflow "
            f"{TESTED_VERSIONS[-1]}* (pip install 'tensorflow=={TESTED_VERSIONS[-1]}*')"
        )
    return path


def disable_xla() -> None:
    """Let models that compile functions by XLA fail, as TensorFlow Serving does without its flag.

    Raises:
        StartError: this TensorFlow cannot.
    """
    try:
        # What TensorFlow Serving calls; the C API has no such function: C++, without arguments.
        tensorflow_library()["_ZN10tensorflow21DisableXlaCompilationEv"]()
    except AttributeError as error:
        raise StartError(
            "this TensorFlow cannot forbid XLA: leave --noxla_cpu_compilation_enabled out"
        ) from error


class Status:
    """TF_Status as a context: leaving it raises what TensorFlow reported.

    Raises:
        ServingError: with TensorFlow's code and message, on leaving.
    """

    def __enter__(self) -> Handle:
        self._status = Handle(tensorflow_library().TF_NewStatus())
        return self._status

    def __exit__(self, *exc_info: object) -> None:
        library = tensorflow_library()
        code = library.TF_GetCode(self._status)
        message = library.TF_Message(self._status).decode(errors="replace")
        library.TF_DeleteStatus(self._status)
        if code and exc_info[0] is None:
            raise ServingError(Fault(code), message)


def read_buffer(buffer: "ctypes._Pointer[Buffer]") -> bytes:
    """The bytes of a TF_Buffer, which is deleted."""
    content = buffer.contents
    data = ctypes.string_at(content.data, content.length) if content.length else b""
    tensorflow_library().TF_DeleteBuffer(buffer)
    return data
