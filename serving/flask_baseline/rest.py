"""The baseline's REST API: TensorFlow Serving's bodies and errors, in Flask.

POST /v1/models/NAME:predict    predict; any name is the one model
GET  /v1/models/NAME            status: version 1, AVAILABLE
GET  /healthz  /readyz          200; the server accepts only once the model has answered
"""

import logging
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import orjson
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from serving.errors import Fault, ServingError
from serving.messages import types_pb2
from serving.rest_api.json_inputs import is_row_format, read_inputs
from serving.rest_api.json_outputs import write_columns, write_rows
from serving.rest_api.json_text import dump, parse
from serving.runtime.signature import DEFAULT_SIGNATURE, Signature, TensorInfo

_log = logging.getLogger(__name__)

Array = np.ndarray[Any, Any]
# From a signature's name and its one input to the outputs by alias.
Predict = Callable[[str, Array], Mapping[str, Array]]

# As our own server has it by default.
_MOST_BODY_BYTES = 32 * 2**20
_STATUS = {
    "model_version_status": [
        {
            "version": "1",
            "state": "AVAILABLE",
            "status": {"error_code": "OK", "error_message": ""},
        }
    ]
}


def create_app(predict: Predict) -> Flask:
    """The REST API over a model's predict function."""
    app = Flask("flask_baseline")
    app.config["MAX_CONTENT_LENGTH"] = _MOST_BODY_BYTES

    @app.post("/v1/models/<_name>:predict")
    def answer_predict(_name: str) -> Response:
        return _json(_predict(predict, request.get_data(cache=False)))

    @app.get("/v1/models/<name>")
    def answer_status(name: str) -> Response:
        if ":" in name:
            raise ServingError(Fault.INVALID_ARGUMENT, f"Malformed request: GET {request.path}")
        return _json(orjson.dumps(_STATUS))

    app.add_url_rule("/healthz", "healthz", lambda: "ok\n")
    app.add_url_rule("/readyz", "readyz", lambda: "ready\n")
    app.register_error_handler(ServingError, _refusal)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _bug)
    return app


def _predict(predict: Predict, body: bytes) -> bytes:
    document = parse(body)
    is_row = is_row_format(document)
    signature = _signature(document.get("signature_name") or DEFAULT_SIGNATURE)
    sent = read_inputs(document, signature)
    signature.check_shapes(sent)
    outputs = predict(signature.name, next(iter(sent.values())))
    if is_row:
        return dump({"predictions": write_rows(outputs)})
    return dump({"outputs": write_columns(outputs)})


def _signature(name: object) -> Signature:
    if not isinstance(name, str) or name not in _SIGNATURES:
        raise ServingError(
            Fault.INVALID_ARGUMENT, f'Serving signature name: "{name}" not found in signature def'
        )
    return _SIGNATURES[name]


def _declare(name: str, alias: str, dtype: int, *row: int) -> Signature:
    info = TensorInfo(alias=alias, tensor_name="", dtype=dtype, shape=(None, *row))
    return Signature(name=name, inputs={alias: info}, outputs={})


_SIGNATURES = {
    signature.name: signature
    for signature in (
        _declare(DEFAULT_SIGNATURE, "image", types_pb2.DT_FLOAT, 224, 224, 3),
        _declare("uint8", "image", types_pb2.DT_UINT8, 224, 224, 3),
        _declare("image_bytes", "image_bytes", types_pb2.DT_STRING),
    )
}


def _refusal(error: ServingError) -> Response:
    # Whatever this API refuses, the request is at fault.
    return _error(400, error.sentence)


def _http_error(error: HTTPException) -> Response:
    return _error(error.code or 500, error.description or error.name)


def _bug(_: Exception) -> Response:
    request_id = uuid.uuid4().hex[:12]
    _log.exception("request %s failed", request_id)
    return _error(500, f"internal error, request id {request_id}")


def _error(code: int, sentence: str) -> Response:
    return _json(orjson.dumps({"error": sentence.encode(errors="replace").decode()}), code)


def _json(body: bytes, code: int = 200) -> Response:
    return Response(body, code, mimetype="application/json")
