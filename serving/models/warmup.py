"""The requests that a version answers before it takes anyone else's."""

import logging
import struct
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.message import DecodeError

from serving.errors import Fault, ServingError
from serving.messages import prediction_log_pb2
from serving.models.servable import Servable
from serving.runtime.signature import DEFAULT_SIGNATURE
from serving.runtime.tensor_protos import TensorProtoError, from_proto

WARMUP_FILE = Path("assets.extra") / "tf_serving_warmup_requests"
MOST_RECORDS = 1000  # TensorFlow Serving's bound

_log = logging.getLogger(__name__)


def warm_up(servable: Servable, folder: Path) -> int:
    """Answer the warm-up requests recorded beside the model; returns how many.

    Raises:
        ServingError: a record is damaged or cannot be answered, so the version must not serve.
    """
    path = folder / WARMUP_FILE
    if not path.is_file():
        return 0
    answered = 0
    for record in _records(path):
        if answered >= MOST_RECORDS:
            raise ServingError(
                Fault.INVALID_ARGUMENT, f"{path} holds more than {MOST_RECORDS} warm-up records"
            )
        answered += _answer(servable, record, path)
    return answered


def _answer(servable: Servable, record: bytes, path: Path) -> int:
    try:
        log = prediction_log_pb2.PredictionLog.FromString(record)
        if not log.HasField("predict_log"):
            _log.warning("%s: only Predict records are warmed up", path)
            return 0
        request = log.predict_log.request
        inputs = {alias: from_proto(proto) for alias, proto in request.inputs.items()}
    except (DecodeError, TensorProtoError) as error:
        raise ServingError(Fault.DATA_LOSS, f"{path}: a record does not parse: {error}") from error
    name = request.model_spec.signature_name or DEFAULT_SIGNATURE
    signature = servable.signature(name)
    if signature is None:
        raise ServingError(
            Fault.FAILED_PRECONDITION, f'{path}: the model has no signature "{name}"'
        )
    rows = max((array.shape[0] for array in inputs.values() if array.ndim), default=0)
    if servable.most_rows is not None and rows > servable.most_rows:
        _log.info("%s: a record of %d rows is more than a batch may have: left out", path, rows)
        return 0
    servable.predict(signature, inputs)
    return 1


def _records(path: Path) -> Iterator[bytes]:
    """The records of a TFRecord file: length, its checksum, the bytes, their checksum."""
    size = path.stat().st_size
    with path.open("rb") as file:
        while header := file.read(12):
            if len(header) < 12:
                raise ServingError(Fault.DATA_LOSS, f"{path} is cut")
            (length,) = struct.unpack("<Q", header[:8])
            record = file.read(min(length, size))
            if len(record) < length or len(file.read(4)) < 4:
                raise ServingError(Fault.DATA_LOSS, f"{path} is cut")
            yield record
