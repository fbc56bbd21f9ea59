"""gRPC messages that no client should send: each gets a proper answer, and the server lives.

SERVING_FUZZ_REQUESTS=20000 asks more than the few hundred of the default run.
"""

import os

import grpc
import numpy as np
import pytest
from google.protobuf.message import DecodeError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from serving.messages import predict_pb2, tensor_pb2
from serving.runtime.tensor_protos import to_proto

REQUESTS = int(os.environ.get("SERVING_FUZZ_REQUESTS", "2000")) // 2
FUZZED = settings(
    max_examples=REQUESTS,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
BUGS = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN}
PREDICT = "PredictionService/Predict"
METHODS = [
    PREDICT,
    "PredictionService/Classify",
    "PredictionService/Regress",
    "PredictionService/MultiInference",
    "PredictionService/GetModelMetadata",
    "ModelService/GetModelStatus",
    "PredictionService/Nothing",
]


@pytest.fixture(scope="module")
def asked(unchecked_server):
    """Sends bytes to a method; its code and details."""
    options = [("grpc.max_receive_message_length", -1)]
    address = f"127.0.0.1:{unchecked_server.grpc_port}"
    with grpc.insecure_channel(address, options) as channel:
        methods = {
            name: channel.unary_unary(
                f"/tensorflow.serving.{name}",
                request_serializer=bytes,
                response_deserializer=bytes,
            )
            for name in METHODS
        }

        def ask(name, message):
            try:
                methods[name](message, timeout=60)
            except grpc.RpcError as error:
                return error.code(), error.details()
            return grpc.StatusCode.OK, ""

        yield ask


@pytest.fixture(autouse=True)
def _still_well(unchecked_server, asked):
    yield
    request = predict_pb2.PredictRequest()
    request.model_spec.name = "scale"
    request.inputs["x"].CopyFrom(to_proto(np.ones(2, np.float32)))
    assert asked(PREDICT, request.SerializeToString()) == (grpc.StatusCode.OK, "")
    assert unchecked_server.process.poll() is None


SIZES = st.one_of(
    st.integers(0, 4),
    st.sampled_from([-1, -(2**63), 2**31, 2**32, 2**40, 2**62, 2**63 - 1]),
)
SHAPES = st.one_of(
    st.lists(SIZES, max_size=3),
    st.lists(st.integers(0, 1), min_size=4, max_size=300),
    st.permutations([0, 2**62, 2**62, 2**31]),
)
INT32S = st.one_of(st.integers(-3, 300), st.integers(-(2**31), 2**31 - 1))
VALUES = {
    "half_val": INT32S,
    "float_val": st.floats(width=32),
    "double_val": st.floats(),
    "int_val": INT32S,
    "string_val": st.binary(max_size=20),
    "scomplex_val": st.floats(width=32),
    "int64_val": st.integers(-(2**63), 2**63 - 1),
    "bool_val": st.booleans(),
    "dcomplex_val": st.floats(),
    "uint32_val": st.integers(0, 2**32 - 1),
    "uint64_val": st.integers(0, 2**64 - 1),
}


@st.composite
def tensors(draw):
    """A TensorProto that may or may not describe a tensor."""
    proto = tensor_pb2.TensorProto(
        # Resource and variant, references, and numbers that no dtype has are among them.
        dtype=draw(st.one_of(st.integers(0, 33), st.sampled_from([101, 107, 120, -1, 2**31 - 1]))),
        tensor_content=draw(st.one_of(st.just(b""), st.binary(max_size=64))),
    )
    for size in draw(SHAPES):
        proto.tensor_shape.dim.add(size=size)
    proto.tensor_shape.unknown_rank = draw(st.sampled_from([False, False, False, True]))
    for field in draw(st.lists(st.sampled_from(sorted(VALUES)), max_size=2)):
        getattr(proto, field).extend(draw(st.lists(VALUES[field], max_size=6)))
    return proto


DTYPE_SIGNATURES = {
    "bfloat16": 14, "bool": 10, "complex64": 8, "float16": 19, "float32": 1, "float64": 2,
    "int16": 5, "int32": 3, "int64": 9, "int8": 6, "string": 7, "uint16": 17, "uint32": 22,
    "uint64": 23, "uint8": 4,
}  # fmt: skip
ALIASES = st.sampled_from(["x", "a", "b", "s", "image_bytes", "inputs", "", "\n" * 300])


@st.composite
def predict_requests(draw):
    """A PredictRequest to a model that is there, often with tensors that it cannot take."""
    request = predict_pb2.PredictRequest()
    if draw(st.booleans()):  # the right dtype and alias, so that TensorFlow sees the tensor
        signature_name = draw(st.sampled_from(sorted(DTYPE_SIGNATURES)))
        request.model_spec.name = "dtypes"
        request.model_spec.signature_name = signature_name
        request.inputs["x"].CopyFrom(draw(tensors()))
        request.inputs["x"].dtype = DTYPE_SIGNATURES[signature_name]
        return request
    request.model_spec.name = draw(
        st.sampled_from(["scale", "multi", "dtypes", "strings", "examples", "nobody", "", "a\nb"])
    )
    request.model_spec.signature_name = draw(
        st.sampled_from(["", "double", "total", "ragged", "pixels", "classify", "no", "\0" * 99])
    )
    match draw(st.sampled_from(["", "", "version", "label"])):
        case "version":
            request.model_spec.version.value = draw(st.sampled_from([0, 1, 7, -1, 2**63 - 1]))
        case "label":
            request.model_spec.version_label = draw(st.text(max_size=4))
    for alias, proto in draw(st.dictionaries(ALIASES, tensors(), max_size=3)).items():
        request.inputs[alias].CopyFrom(proto)
    request.output_filter.extend(
        draw(st.lists(st.sampled_from(["y", "sum", "sum", ""]), max_size=2))
    )
    return request


def assert_proper(answer):
    code, details = answer
    assert code not in BUGS, details


@FUZZED
@given(request=predict_requests())
def test_every_tensor_gets_a_proper_answer(asked, request):
    assert_proper(asked(PREDICT, request.SerializeToString()))


@settings(FUZZED, max_examples=REQUESTS // 2)
@given(
    method=st.sampled_from(METHODS),
    request=predict_requests(),
    flips=st.lists(st.tuples(st.integers(0, 500), st.integers(0, 7)), min_size=1, max_size=8),
)
def test_every_flipped_bit_gets_a_proper_answer(asked, method, request, flips):
    message = bytearray(request.SerializeToString() or b"\0")
    for position, bit in flips:
        message[position % len(message)] ^= 1 << bit
    _assert_proper_or_unparsable(asked(method, bytes(message)), method, bytes(message))


@settings(FUZZED, max_examples=REQUESTS // 2)
@given(method=st.sampled_from(METHODS), message=st.binary(max_size=300))
def test_any_bytes_get_a_proper_answer(asked, method, message):
    _assert_proper_or_unparsable(asked(method, message), method, message)


def _assert_proper_or_unparsable(answer, method, message):
    """INTERNAL is gRPC's own answer to bytes that are no message, in C++ as in Python."""
    if answer[0] is grpc.StatusCode.INTERNAL and method == PREDICT:
        with pytest.raises(DecodeError):
            predict_pb2.PredictRequest.FromString(message)
    elif answer[0] is grpc.StatusCode.INTERNAL:
        assert answer[1] == "Exception deserializing request!"
    else:
        assert_proper(answer)
