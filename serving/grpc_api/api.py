"""The gRPC side: PredictionService and ModelService."""

import logging
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import grpc

from serving.caller import Caller
from serving.errors import Fault, ServingError
from serving.messages import get_model_metadata_pb2, get_model_status_pb2, predict_pb2
from serving.monitoring.metrics import Metrics
from serving.runtime.signature import Signature
from serving.runtime.tensor_protos import TensorProtoError, from_proto, to_proto
from serving.runtime.tensors import Tensor
from serving.service import ModelSpec, Service

_log = logging.getLogger(__name__)

STATUS_CODES: dict[Fault, grpc.StatusCode] = {
    fault: getattr(grpc.StatusCode, fault.name) for fault in Fault
}

PREDICTION_SERVICE = "tensorflow.serving.PredictionService"
MODEL_SERVICE = "tensorflow.serving.ModelService"


class GrpcApi:
    """TensorFlow Serving's gRPC methods over a service."""

    def __init__(self, service: Service, metrics: Metrics) -> None:
        self._service = service
        self._metrics = metrics

    def handlers(self) -> "list[grpc.GenericRpcHandler[Any, Any]]":
        """What a gRPC server adds to answer TensorFlow Serving's methods."""
        return [
            grpc.method_handlers_generic_handler(
                PREDICTION_SERVICE,
                {
                    "Predict": _unary(self._counted(self.predict), predict_pb2.PredictRequest),
                    "GetModelMetadata": _unary(
                        self.get_model_metadata, get_model_metadata_pb2.GetModelMetadataRequest
                    ),
                },
            ),
            grpc.method_handlers_generic_handler(
                MODEL_SERVICE,
                {
                    "GetModelStatus": _unary(
                        self.get_model_status, get_model_status_pb2.GetModelStatusRequest
                    )
                },
            ),
        ]

    def predict(
        self, request: predict_pb2.PredictRequest, caller: Caller
    ) -> predict_pb2.PredictResponse:
        """Run a signature on the request's tensors."""

        def read_inputs(_: Signature) -> Mapping[str, Tensor]:
            return {alias: _tensor(alias, proto) for alias, proto in request.inputs.items()}

        spec = _spec(request.model_spec)
        prediction = self._service.predict(spec, read_inputs, request.output_filter, caller)
        response = predict_pb2.PredictResponse()
        _describe(response.model_spec, spec.name, prediction.version, prediction.signature.name)
        for alias, array in prediction.outputs.items():
            response.outputs[alias].CopyFrom(to_proto(array))
        return response

    def get_model_metadata(
        self, request: get_model_metadata_pb2.GetModelMetadataRequest, _: Caller
    ) -> get_model_metadata_pb2.GetModelMetadataResponse:
        """The signatures of a version."""
        if not request.metadata_field:
            raise ServingError(
                Fault.INVALID_ARGUMENT,
                "GetModelMetadataRequest must specify at least one metadata_field",
            )
        for name in request.metadata_field:
            if name != "signature_def":
                raise ServingError(
                    Fault.INVALID_ARGUMENT, f"Metadata field {name} is not supported"
                )
        spec = _spec(request.model_spec)
        metadata = self._service.metadata(spec)
        response = get_model_metadata_pb2.GetModelMetadataResponse()
        _describe(response.model_spec, spec.name, metadata.version, "")
        response.metadata["signature_def"].Pack(signature_def_map(metadata.signature_defs))
        return response

    def get_model_status(
        self, request: get_model_status_pb2.GetModelStatusRequest, _: Caller
    ) -> get_model_status_pb2.GetModelStatusResponse:
        """The states of a model's versions."""
        if not request.HasField("model_spec"):
            raise ServingError(Fault.INVALID_ARGUMENT, "Missing ModelSpec")
        spec = _spec(request.model_spec)
        return status_response(self._service, spec.name, spec.version)

    def _counted(self, method: Callable[[Any, Caller], Any]) -> Callable[..., Any]:
        def counted(request: Any, caller: Caller) -> Any:  # noqa: ANN401
            started = time.perf_counter()
            status = "INTERNAL"
            try:
                response = method(request, caller)
                status = "OK"
            except ServingError as error:
                status = error.fault.name
                raise
            finally:
                self._metrics.request(
                    model=request.model_spec.name,
                    status=status,
                    api="Predict",
                    entrypoint="GRPC",
                    seconds=time.perf_counter() - started,
                )
            return response

        return counted


def signature_def_map(
    definitions: Mapping[str, Any],
) -> get_model_metadata_pb2.SignatureDefMap:
    """The `signature_def` metadata of a version."""
    message = get_model_metadata_pb2.SignatureDefMap()
    for name, definition in definitions.items():
        message.signature_def[name].CopyFrom(definition)
    return message


def status_response(
    service: Service, name: str, version: int | None
) -> get_model_status_pb2.GetModelStatusResponse:
    """The states of a model's versions as TensorFlow Serving's message."""
    response = get_model_status_pb2.GetModelStatusResponse()
    for status in service.statuses(name, version):
        entry = response.model_version_status.add(version=status.version, state=int(status.state))
        entry.status.SetInParent()
        if status.error is not None:
            entry.status.error_code = int(status.error.fault)
            entry.status.error_message = status.error.sentence
    return response


def _unary(
    method: Callable[[Any, Caller], Any],
    request_type: Any,  # noqa: ANN401
) -> "grpc.RpcMethodHandler[Any, Any]":
    def handle(request: Any, context: grpc.ServicerContext) -> Any:  # noqa: ANN401
        try:
            return method(request, _caller(context))
        except ServingError as error:
            context.abort(STATUS_CODES[error.fault], error.sentence)
        except Exception:  # noqa: BLE001 - a bug: logged, and the client told no more
            request_id = uuid.uuid4().hex[:12]
            _log.exception("request %s failed", request_id)
            context.abort(grpc.StatusCode.INTERNAL, f"internal error, request id {request_id}")

    return grpc.unary_unary_rpc_method_handler(
        handle,
        request_deserializer=request_type.FromString,
        response_serializer=lambda message: message.SerializeToString(),
    )


def _caller(context: grpc.ServicerContext) -> Caller:
    caller = Caller(context.time_remaining())
    if not context.add_callback(caller.leave):
        caller.leave()
    return caller


def _spec(message: Any) -> ModelSpec:  # noqa: ANN401 - a protobuf message
    return ModelSpec(
        name=message.name,
        version=message.version.value if message.HasField("version") else None,
        label=message.version_label or None,
        signature_name=message.signature_name,
    )


def _describe(message: Any, name: str, version: int, signature_name: str) -> None:  # noqa: ANN401
    message.name = name
    message.version.value = version
    message.signature_name = signature_name


def _tensor(alias: str, proto: Any) -> Tensor:  # noqa: ANN401
    try:
        return from_proto(proto)
    except TensorProtoError as error:
        raise ServingError(Fault.INVALID_ARGUMENT, f"tensor parsing error: {alias}") from error
