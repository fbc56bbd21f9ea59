import base64
import json

from loadtest.payload import grpc_body, rest_body, rest_path
from loadtest.wire import PredictRequest

PHOTO = b"\xff\xd8 not really a photo"


def test_the_rest_body_holds_the_photo_in_base64():
    body = json.loads(rest_body(PHOTO))
    assert body["signature_name"] == "image_bytes"
    assert [base64.b64decode(instance["b64"]) for instance in body["instances"]] == [PHOTO]


def test_the_rest_path_names_the_model():
    assert rest_path("resnet18-bf16") == "/v1/models/resnet18-bf16:predict"


def test_the_grpc_body_holds_the_photo_as_a_batch_of_one():
    request = PredictRequest.FromString(grpc_body(PHOTO, "resnet18"))
    tensor = request.inputs["image_bytes"]
    assert (request.model_spec.name, request.model_spec.signature_name) == (
        "resnet18",
        "image_bytes",
    )
    assert [dim.size for dim in tensor.tensor_shape.dim] == [1]
    assert list(tensor.string_val) == [PHOTO]
