"""The file with a SavedModel's graph and signatures: found, read and written in its own form."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError
from tensorflow.core.protobuf import saved_model_pb2

from export.errors import ExportError

_BINARY = "saved_model.pb"
_TEXT = "saved_model.pbtxt"
_CHUNKED = "saved_model.cpb"
GRAPH_FILES = (_BINARY, _TEXT, _CHUNKED)
FINGERPRINT_FILE = "fingerprint.pb"


@dataclass(frozen=True, kw_only=True)
class SavedModelFile:
    """What was read, and as which file."""

    name: str
    """`saved_model.pb` or `saved_model.pbtxt`."""

    saved_model: Any
    """The SavedModel proto."""

    def write(self, folder: Path, *, with_fingerprint: bool) -> None:
        """Writes it into `folder`, and a fingerprint of the new graph where one is asked for."""
        path = folder / self.name
        if self.name == _TEXT:
            path.write_text(text_format.MessageToString(self.saved_model), encoding="utf-8")
            return
        path.write_bytes(self.saved_model.SerializeToString(deterministic=True))
        if with_fingerprint:
            # TensorFlow loads without one, but what keeps its books by it would find the graph
            # of the original. Only tf.saved_model.save has a public way to this.
            from tensorflow.python.saved_model import fingerprinting_utils  # noqa: PLC0415

            fingerprinting_utils.write_fingerprint(str(folder))


def read_saved_model(folder: Path) -> SavedModelFile:
    """Reads the graph file of the SavedModel in `folder`; of two forms, the one TensorFlow reads.

    Raises:
        ExportError: there is no such folder, it holds no SavedModel that can be read, or it holds
            versions of a model.
    """
    if not folder.is_dir():
        raise ExportError(f"{folder}: expected a SavedModel's folder, there is no such folder")
    name = next((name for name in (_BINARY, _TEXT) if (folder / name).is_file()), None)
    if name is None:
        raise ExportError(_why_none(folder))
    path = folder / name
    saved_model = saved_model_pb2.SavedModel()
    try:
        if name == _BINARY:
            saved_model.ParseFromString(path.read_bytes())
        else:
            text_format.Parse(path.read_bytes(), saved_model)
    except OSError as error:
        raise ExportError(f"{path} cannot be read ({error.strerror})") from error
    except DecodeError as error:
        raise ExportError(f"{path} is cut or damaged: it is no SavedModel") from error
    except (text_format.ParseError, UnicodeDecodeError) as error:
        raise ExportError(f"{path} is no SavedModel as text: {error}") from error
    return SavedModelFile(name=name, saved_model=saved_model)


def _why_none(folder: Path) -> str:
    if (folder / _CHUNKED).is_file():
        return (
            f"{folder / _CHUNKED} is a SavedModel in chunks, which is not read here: save the "
            f"model again without experimental_image_format, as one {_BINARY}"
        )
    newest = newest_version(folder)
    if newest is not None:
        return f"{folder} holds versions of a model: name one of them, the newest is {newest}"
    return f"{folder} is no SavedModel: it has no {_BINARY}"


def newest_version(folder: Path) -> Path | None:
    """The SavedModel with the highest number in a model's folder; None where there is none."""
    versions = [
        entry
        for entry in folder.iterdir()
        if entry.name.isdecimal() and any((entry / name).is_file() for name in GRAPH_FILES)
    ]
    return max(versions, key=lambda version: int(version.name), default=None)
