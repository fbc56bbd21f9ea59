"""A photo as the bytes of a request, encoded once and outside every timed call."""

import base64
import json

from loadtest.wire import DT_STRING, PredictRequest

SIGNATURE = "image_bytes"


def rest_path(model_name: str) -> str:
    """The REST path of a model's predict call."""
    return f"/v1/models/{model_name}:predict"


def rest_body(photo: bytes) -> bytes:
    """The REST predict body of one photo: its file's bytes in base64."""
    instance = {"b64": base64.b64encode(photo).decode("ascii")}
    return json.dumps({"signature_name": SIGNATURE, "instances": [instance]}).encode()


def grpc_body(photo: bytes, model_name: str) -> bytes:
    """A serialized PredictRequest of one photo: its file as a string tensor of shape [1]."""
    request = PredictRequest()
    request.model_spec.name = model_name
    request.model_spec.signature_name = SIGNATURE
    tensor = request.inputs["image_bytes"]
    tensor.dtype = DT_STRING
    tensor.tensor_shape.dim.add().size = 1
    tensor.string_val.append(photo)
    return bytes(request.SerializeToString())
