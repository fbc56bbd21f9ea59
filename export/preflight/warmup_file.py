"""The warm-up requests beside a model, as TensorFlow Serving reads them at load time."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from google.protobuf.message import DecodeError
from tensorflow_serving.apis import prediction_log_pb2

from export.errors import ExportError
from export.saved_model import EXTRA_FOLDER
from export.warmup import WARMUP_FILE

MOST_RECORDS = 1000
"""TensorFlow Serving's bound: with more, the load fails."""

_DEFAULT = "serving_default"


@dataclass(frozen=True, kw_only=True)
class WarmupRequest:
    """One request of the file."""

    index: int
    signature: str
    values: dict[str, Any]
    """Arrays by alias; serialized Examples where it asks to classify or regress."""

    outputs: tuple[str, ...]
    """Aliases to fetch; empty for all."""


def warmup_path(folder: Path) -> Path:
    """Where a version keeps them."""
    return folder / EXTRA_FOLDER / WARMUP_FILE


def read_warmup(folder: Path) -> list[WarmupRequest]:
    """Every request; none where there is no such file.

    Raises:
        ExportError: the file is damaged or too long, or a record is not a request.
    """
    path = warmup_path(folder)
    if not path.is_file():
        return []
    requests: list[WarmupRequest] = []
    try:
        for index, record in enumerate(tf.compat.v1.io.tf_record_iterator(str(path))):
            if index >= MOST_RECORDS:
                raise ExportError(f"it holds more than {MOST_RECORDS} records")
            requests.extend(_requests(index, prediction_log_pb2.PredictionLog.FromString(record)))
    except tf.errors.OpError as error:
        raise ExportError(f"it is cut or damaged after {len(requests)} requests") from error
    except DecodeError as error:
        raise ExportError(f"record {index} is not a PredictionLog") from error
    except (ValueError, TypeError) as error:
        raise ExportError(f"record {index} holds a tensor that cannot be read ({error})") from error
    return requests


def _requests(index: int, log: Any) -> Iterator[WarmupRequest]:  # noqa: ANN401
    kind = log.WhichOneof("log_type")
    if kind == "predict_log":
        request = log.predict_log.request
        yield WarmupRequest(
            index=index,
            signature=request.model_spec.signature_name or _DEFAULT,
            values={alias: tf.make_ndarray(value) for alias, value in request.inputs.items()},
            outputs=tuple(request.output_filter),
        )
    elif kind in {"classify_log", "regress_log"}:
        yield _of_examples(index, getattr(log, kind).request)
    elif kind == "multi_inference_log":
        request = log.multi_inference_log.request
        for task in request.tasks:
            yield _of_examples(index, task, request.input)
    else:
        raise ExportError(f"record {index} is not a PredictionLog with a request")


def _of_examples(index: int, asked: Any, given: Any | None = None) -> WarmupRequest:  # noqa: ANN401
    source = asked.input if given is None else given
    listed = source.WhichOneof("kind")
    examples = getattr(source, listed).examples if listed else []
    texts = np.array([example.SerializeToString() for example in examples], object)
    return WarmupRequest(
        index=index,
        signature=asked.model_spec.signature_name or _DEFAULT,
        values={"inputs": texts},
        outputs=(),
    )
