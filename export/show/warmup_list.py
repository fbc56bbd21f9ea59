"""The warm-up requests of a SavedModel, counted."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tensorflow as tf
from google.protobuf.message import DecodeError
from tensorflow_serving.apis import prediction_log_pb2

from export.errors import ExportError


@dataclass(frozen=True, kw_only=True)
class WarmupFacts:
    """Requests that are alike."""

    signature: str
    kind: str
    """`predict`, `classify`, `regress`, `multi_inference` or `session_run`."""

    rows: int | None
    """None where the request does not say."""

    count: int


def warmup_of(file: Path) -> list[WarmupFacts]:
    """The requests in `file` by signature, kind and rows; none where there is no such file.

    Raises:
        ExportError: the file is not what TensorFlow Serving reads.
    """
    if not file.is_file():
        return []
    try:
        logs = [
            prediction_log_pb2.PredictionLog.FromString(record)
            for record in tf.compat.v1.io.tf_record_iterator(str(file))
        ]
    except (tf.errors.OpError, DecodeError) as error:
        raise ExportError(
            f"{file} is damaged: expected a TFRecord of PredictionLog; a server that replays it "
            "refuses the version"
        ) from error
    counts = Counter(_described(log) for log in logs)
    return [
        WarmupFacts(signature=signature, kind=kind, rows=rows, count=count)
        for (signature, kind, rows), count in counts.items()
    ]


def _described(log: Any) -> tuple[str, str, int | None]:  # noqa: ANN401
    field = log.WhichOneof("log_type") or "unknown"
    kind = field.removesuffix("_log")
    if kind not in {"predict", "classify", "regress", "multi_inference"}:
        return "", kind, None
    request = getattr(log, field).request
    if kind == "predict":
        shapes = [tensor.tensor_shape.dim for tensor in request.inputs.values()]
        rows = next((shape[0].size for shape in shapes if shape), None)
        return request.model_spec.signature_name, kind, rows
    examples = getattr(request.input, request.input.WhichOneof("kind") or "example_list")
    if kind == "multi_inference":
        names = [task.model_spec.signature_name for task in request.tasks]
        return ", ".join(names), kind, len(examples.examples)
    return request.model_spec.signature_name, kind, len(examples.examples)
