import subprocess
import sys

from loadtest.payload import grpc_body
from loadtest.wire import PredictResponse

# The official stubs, which import TensorFlow unless a bare module of that name is there first.
_OFFICIAL = """
import importlib.util, sys, types
tensorflow = types.ModuleType("tensorflow")
tensorflow.__path__ = importlib.util.find_spec("tensorflow").submodule_search_locations
sys.modules["tensorflow"] = tensorflow
from tensorflow_serving.apis import predict_pb2
from tensorflow.core.framework import types_pb2
"""


def official(code, given=b""):
    done = subprocess.run(
        [sys.executable, "-c", _OFFICIAL + code], input=given, capture_output=True, check=True
    )
    return done.stdout


def test_a_request_equals_the_official_stubs_byte_for_byte():
    code = """
request = predict_pb2.PredictRequest()
request.model_spec.name = "resnet18"
request.model_spec.signature_name = "image_bytes"
tensor = request.inputs["image_bytes"]
tensor.dtype = types_pb2.DT_STRING
tensor.tensor_shape.dim.add().size = 1
tensor.string_val.append(bytes(range(256)))
sys.stdout.buffer.write(request.SerializeToString())
"""
    assert grpc_body(bytes(range(256)), "resnet18") == official(code)


def test_an_answer_of_the_official_stubs_is_read():
    code = """
response = predict_pb2.PredictResponse()
response.model_spec.name = "resnet18"
response.model_spec.version.value = 7
tensor = response.outputs["probabilities"]
tensor.dtype = types_pb2.DT_FLOAT
tensor.float_val.extend([0.25, 0.75])
response.outputs["label"].string_val.append(b"dog")
sys.stdout.buffer.write(response.SerializeToString())
"""
    outputs = PredictResponse.FromString(official(code)).outputs
    assert list(outputs["probabilities"].float_val) == [0.25, 0.75]
    assert outputs["label"].string_val[0] == b"dog"


def test_the_messages_come_without_tensorflow():
    code = "import sys, loadtest.wire; print('tensorflow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "False"
