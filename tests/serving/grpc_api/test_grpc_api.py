import grpc
import numpy as np
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from serving.errors import Fault
from serving.grpc_api.api import STATUS_CODES
from serving.messages import get_model_metadata_pb2, get_model_status_pb2, predict_pb2
from serving.rest_api.app import STATUS_CODES as REST_STATUS_CODES
from serving.runtime.tensor_protos import from_proto, to_proto


@pytest.fixture
def channel(server):
    with grpc.insecure_channel(f"127.0.0.1:{server.grpc_port}") as opened:
        yield opened


def call(channel, method, request, response_type):
    return channel.unary_unary(
        f"/tensorflow.serving.{method}",
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=response_type.FromString,
    )(request, timeout=30)


def predict(channel, name, signature_name="", **inputs):
    request = predict_pb2.PredictRequest()
    request.model_spec.name = name
    request.model_spec.signature_name = signature_name
    for alias, array in inputs.items():
        request.inputs[alias].CopyFrom(to_proto(array))
    return call(channel, "PredictionService/Predict", request, predict_pb2.PredictResponse)


def refusal(channel, *arguments, **inputs):
    with pytest.raises(grpc.RpcError) as caught:
        predict(channel, *arguments, **inputs)
    return caught.value.code().name, caught.value.details()


def test_predict_gives_the_outputs_and_says_which_version(channel):
    reply = predict(channel, "scale", x=np.array([1, 2], np.float32))
    assert from_proto(reply.outputs["y"]).tolist() == [3, 6]
    assert reply.model_spec.version.value == 3
    assert reply.model_spec.signature_name == "serving_default"


def test_an_output_filter_chooses(channel):
    request = predict_pb2.PredictRequest(output_filter=["diff"])
    request.model_spec.name = "multi"
    for alias in "ab":
        request.inputs[alias].CopyFrom(to_proto(np.ones((1, 2), np.float32)))
    reply = call(channel, "PredictionService/Predict", request, predict_pb2.PredictResponse)
    assert list(reply.outputs) == ["diff"]


def test_a_wrong_rank_is_refused_by_name(channel):
    code, details = refusal(channel, "scale", x=np.ones((1, 2), np.float32))
    assert code == "INVALID_ARGUMENT"
    assert 'input "x" of signature "serving_default" has shape [1, 2], expected [?]' in details


def test_a_wrong_dtype_is_refused(channel):
    code, details = refusal(channel, "scale", x=np.array([1], np.int32))
    assert code == "INVALID_ARGUMENT"
    assert "to be float but int32 is provided" in details


def test_an_unknown_model_or_signature_is_named(channel):
    x = np.array([1], np.float32)
    assert refusal(channel, "nope", x=x) == (
        "NOT_FOUND",
        "Servable not found for request: Latest(nope)",
    )
    assert refusal(channel, "scale", "nope", x=x) == (
        "FAILED_PRECONDITION",
        'Serving signature key "nope" not found.',
    )


def test_missing_and_surplus_inputs_are_named(channel):
    code, details = refusal(channel, "scale", z=np.array([1], np.float32))
    assert code == "INVALID_ARGUMENT"
    assert "Sent extra: {z}. Missing but required: {x}." in details


def test_a_tiny_message_cannot_ask_for_a_huge_tensor(channel):
    request = predict_pb2.PredictRequest()
    request.model_spec.name = "scale"
    proto = request.inputs["x"]
    proto.CopyFrom(to_proto(np.array([1], np.float32)))
    proto.tensor_shape.dim[0].size = 1 << 40
    with pytest.raises(grpc.RpcError) as caught:
        call(channel, "PredictionService/Predict", request, predict_pb2.PredictResponse)
    assert caught.value.details() == "tensor parsing error: x"


def test_metadata_and_status(channel):
    request = get_model_metadata_pb2.GetModelMetadataRequest(metadata_field=["signature_def"])
    request.model_spec.name = "multi"
    reply = call(
        channel,
        "PredictionService/GetModelMetadata",
        request,
        get_model_metadata_pb2.GetModelMetadataResponse,
    )
    definitions = get_model_metadata_pb2.SignatureDefMap()
    assert reply.metadata["signature_def"].Unpack(definitions)
    assert "double" in definitions.signature_def

    status = get_model_status_pb2.GetModelStatusRequest()
    status.model_spec.name = "scale"
    states = call(
        channel, "ModelService/GetModelStatus", status, get_model_status_pb2.GetModelStatusResponse
    )
    assert [entry.version for entry in states.model_version_status] == [3, 2, 1]


def test_the_health_service_says_serving(channel):
    stub = health_pb2_grpc.HealthStub(channel)
    reply = stub.Check(health_pb2.HealthCheckRequest(service=""), timeout=30)
    assert reply.status == health_pb2.HealthCheckResponse.SERVING


def test_every_fault_has_a_status_in_each_protocol():
    assert set(STATUS_CODES) == set(Fault) == set(REST_STATUS_CODES)
