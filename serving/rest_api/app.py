"""The REST side: TensorFlow Serving's paths, bodies and errors, and the paths of our own.

GET  /v1/models/NAME[/versions/N|/labels/L]              status
GET  /v1/models/NAME[/versions/N|/labels/L]/metadata     signatures
POST /v1/models/NAME[/versions/N|/labels/L]:predict      predict
GET  /monitoring/prometheus/metrics                      metrics
GET  /healthz  /readyz  /models                          alive, ready, what is loaded
"""

import asyncio
import logging
import re
import time
import urllib.parse
import uuid
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import orjson
from google.protobuf import json_format
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from serving.caller import Caller
from serving.errors import Fault, ServingError
from serving.grpc_api.api import signature_def_map, status_response
from serving.monitoring.metrics import Metrics, metrics_page
from serving.rest_api.json_inputs import is_row_format, read_inputs
from serving.rest_api.json_outputs import write_columns, write_rows
from serving.rest_api.json_text import dump, parse, shown
from serving.service import ModelSpec, Service, UnknownSignatureError

_log = logging.getLogger(__name__)

# TensorFlow Serving's map, http_server.cc.
STATUS_CODES: dict[Fault, int] = {
    Fault.CANCELLED: 499,
    Fault.UNKNOWN: 500,
    Fault.INVALID_ARGUMENT: 400,
    Fault.DEADLINE_EXCEEDED: 504,
    Fault.NOT_FOUND: 404,
    Fault.ALREADY_EXISTS: 409,
    Fault.PERMISSION_DENIED: 403,
    Fault.RESOURCE_EXHAUSTED: 429,
    Fault.FAILED_PRECONDITION: 400,
    Fault.ABORTED: 409,
    Fault.OUT_OF_RANGE: 400,
    Fault.UNIMPLEMENTED: 501,
    Fault.INTERNAL: 500,
    Fault.UNAVAILABLE: 503,
    Fault.DATA_LOSS: 500,
    Fault.UNAUTHENTICATED: 401,
}

_PATH = re.compile(
    r"/v1/models(?:/(?P<name>[^/:]+))?"
    r"(?:/versions/(?P<version>\d+)|/labels/(?P<label>[^/:]+))?"
    r"(?P<metadata>/metadata)?(?::(?P<verb>predict|classify|regress))?",
    re.IGNORECASE,
)
_NOT_FOUND_PAGE = (
    "<HTML><HEAD>\n<TITLE>404 Not Found</TITLE>\n</HEAD>"
    "<BODY>\n<H1>Not Found</H1>\n</BODY></HTML>\n"
)


@dataclass(frozen=True, kw_only=True)
class RestLimits:
    """What one REST request may cost."""

    max_body_bytes: int
    timeout_s: float
    threads: int


@dataclass(frozen=True, kw_only=True)
class _Call:
    """A request to a model, as its path and verb say."""

    spec: ModelSpec
    verb: str
    """predict, status or metadata."""


class BodyTooLargeError(Exception):
    """A request body is larger than the limit."""


class RestApi:
    """TensorFlow Serving's REST API over a service, as an ASGI application."""

    def __init__(
        self, service: Service, metrics: Metrics, limits: RestLimits, metrics_path: str | None
    ) -> None:
        self._service = service
        self._metrics = metrics
        self._limits = limits
        self._threads = ThreadPoolExecutor(limits.threads, thread_name_prefix="rest")
        methods = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]
        self.app = Starlette(
            routes=[
                Route("/healthz", self._healthz),
                Route("/readyz", self._readyz),
                Route("/models", self._list_models),
                *([Route(metrics_path, self._show_metrics)] if metrics_path else []),
                Route("/{path:path}", self._model_request, methods=methods),
            ]
        )

    async def _model_request(self, request: Request) -> Response:
        path = request.scope["raw_path"].decode("latin-1").partition("?")[0]
        if not re.match(r"/v1/", path + "/", re.IGNORECASE):
            return Response(_NOT_FOUND_PAGE, 404, headers={"content-type": "text/html"})
        started = time.perf_counter()
        try:
            body = await _read_body(request, self._limits.max_body_bytes)
        except BodyTooLargeError:
            limit = self._limits.max_body_bytes
            return _error_response(
                413, f"The request body is larger than {limit} bytes (--rest_api_max_body_mb)"
            )
        except ClientDisconnect:
            return Response(status_code=499)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._threads, self._answer, request.method, path, body, started
        )

    def _answer(self, method: str, path: str, body: bytes, started: float) -> Response:
        call: _Call | None = None
        status = "INTERNAL"
        try:
            call = _read_path(method, path)
            response = self._carry_out(call, body, started)
            status = "OK"
        except ServingError as error:
            status = error.fault.name
            response = _error_response(STATUS_CODES[error.fault], error.sentence)
        except Exception:  # noqa: BLE001 - a bug: logged, and the client told no more
            request_id = uuid.uuid4().hex[:12]
            _log.exception("request %s failed", request_id)
            response = _error_response(500, f"internal error, request id {request_id}")
        self._metrics.request(
            model=call.spec.name if call else "",
            status=status,
            api=call.verb if call and call.verb == "predict" else "",
            entrypoint="REST",
            seconds=time.perf_counter() - started,
        )
        return response

    def _carry_out(self, call: _Call, body: bytes, started: float) -> Response:
        if call.verb == "predict":
            return _json(self._predict(call.spec, body, started))
        if call.verb == "metadata":
            return _json(self._metadata(call.spec))
        message = status_response(self._service, call.spec.name, call.spec.version)
        return _json(_message_json(message))

    def _predict(self, spec: ModelSpec, body: bytes, started: float) -> bytes:
        document = parse(body)
        is_row = is_row_format(document)
        signature_name = document.get("signature_name", "")
        if not isinstance(signature_name, str):
            raise ServingError(
                Fault.INVALID_ARGUMENT,
                f"JSON Value: {shown(document)} not formatted correctly. "
                "'signature_name' key must be a string value.",
            )
        named = ModelSpec(
            name=spec.name,
            version=spec.version,
            label=spec.label,
            signature_name=signature_name,
        )
        try:
            prediction = self._service.predict(
                named,
                lambda signature: read_inputs(document, signature),
                caller=Caller(self._limits.timeout_s - (time.perf_counter() - started)),
            )
        except UnknownSignatureError as error:
            raise ServingError(
                Fault.INVALID_ARGUMENT,
                f'Serving signature name: "{error.name}" not found in signature def',
            ) from error
        if is_row:
            return dump({"predictions": write_rows(prediction.outputs)})
        return dump({"outputs": write_columns(prediction.outputs)})

    def _metadata(self, spec: ModelSpec) -> bytes:
        metadata = self._service.metadata(spec)
        definitions = _message_json(signature_def_map(metadata.signature_defs))
        head = orjson.dumps(
            {"name": spec.name, "version": str(metadata.version), "signature_name": ""}
        )
        return b'{"model_spec":%b,"metadata":{"signature_def":%b}}' % (head, definitions)

    async def _healthz(self, _: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def _readyz(self, _: Request) -> Response:
        if self._service.store.is_ready():
            return PlainTextResponse("ready\n")
        return PlainTextResponse("not ready\n", 503)

    async def _list_models(self, _: Request) -> Response:
        listed = [
            {"name": name, "versions": self._listed_versions(name)}
            for name in self._service.store.names()
        ]
        return _json(orjson.dumps({"models": listed}, option=orjson.OPT_INDENT_2))

    def _listed_versions(self, name: str) -> list[dict[str, Any]]:
        try:
            statuses = self._service.statuses(name)
        except ServingError:
            return []
        return [
            {
                "version": status.version,
                "state": status.state.name,
                "error": status.error.sentence if status.error else "",
            }
            for status in statuses
        ]

    async def _show_metrics(self, _: Request) -> Response:
        return PlainTextResponse(metrics_page(self._metrics.registry))


async def _read_body(request: Request, limit: int) -> bytes:
    """The body, inflated where it is gzip, read no further than `limit` bytes.

    A body that claims to be gzip and is not counts as empty, as in TensorFlow Serving.
    """
    chunks: list[bytes] = []
    size = 0
    is_gzip = request.headers.get("content-encoding", "").lower() == "gzip"
    inflate: Callable[[bytes, int], bytes] | None = None
    if is_gzip:
        inflate = zlib.decompressobj(wbits=31).decompress
    async for received in request.stream():
        try:
            chunk = inflate(received, limit + 1) if inflate else received
        except zlib.error:
            return b""
        size += len(chunk)
        if size <= limit:
            chunks.append(chunk)
        else:  # read on without keeping it: a client that is cut off never reads the refusal
            chunks.clear()
    if size > limit:
        raise BodyTooLargeError
    return b"".join(chunks)


def _read_path(method: str, path: str) -> _Call:
    match = _PATH.fullmatch(path)
    malformed = ServingError(Fault.INVALID_ARGUMENT, f"Malformed request: {method} {path}")
    if match is None:
        raise malformed
    verb = match["verb"] or ("metadata" if match["metadata"] else "status")
    if (method, verb) not in {("GET", "status"), ("GET", "metadata"), ("POST", "predict")}:
        raise malformed
    if match["name"] is None:
        raise ServingError(Fault.INVALID_ARGUMENT, "Missing model name in request.")
    version = int(match["version"]) if match["version"] else None
    if version is not None and version >= 2**63:
        raise ServingError(
            Fault.INVALID_ARGUMENT, f"Failed to convert version: {version} to numeric."
        )
    label = urllib.parse.unquote(match["label"]) if match["label"] else None
    name = urllib.parse.unquote(match["name"])
    return _Call(spec=ModelSpec(name=name, version=version, label=label), verb=verb)


def _message_json(message: Any) -> bytes:  # noqa: ANN401 - any protobuf message
    return json_format.MessageToJson(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    ).encode()


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json")


def _error_response(status: int, sentence: str) -> Response:
    body = b'{\n    "error": %b\n}' % orjson.dumps(sentence.encode(errors="replace").decode())
    return Response(body, status, media_type="application/json")
