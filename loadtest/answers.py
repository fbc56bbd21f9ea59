"""A target's answers to single photos, and whether two targets give the same ones."""

import http.client
import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass

import grpc

from loadtest.errors import LoadTestError
from loadtest.payload import grpc_body, rest_body, rest_path
from loadtest.wire import PREDICT_METHOD, PredictResponse

_DEADLINE_S = 30.0

TOLERANCE = {"fp32": 1e-4, "bf16": 0.02}
"""Largest difference in a probability that counts as the same answer, by precision."""


@dataclass(frozen=True)
class Answer:
    """What a server says about one photo: a probability for each class, and the class's name."""

    probabilities: tuple[float, ...]
    label: str


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where a server under test listens, on 127.0.0.1."""

    rest_port: int
    grpc_port: int


def ask_rest(photo: bytes, model_name: str, address: Address) -> Answer:
    """Asks for one photo over REST.

    Raises:
        LoadTestError: No answer, or one that is no prediction.
    """
    connection = http.client.HTTPConnection("127.0.0.1", address.rest_port, timeout=_DEADLINE_S)
    headers = {"Content-Type": "application/json"}
    try:
        connection.request("POST", rest_path(model_name), rest_body(photo), headers)
        response = connection.getresponse()
        text = response.read().decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as error:
        raise LoadTestError(f"no answer over REST: {error}") from error
    finally:
        connection.close()
    try:
        prediction = json.loads(text)["predictions"][0]
        return Answer(tuple(map(float, prediction["probabilities"])), str(prediction["label"]))
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise LoadTestError(
            f"the answer over REST is no prediction ({response.status}): {text[:200]}"
        ) from error


def ask_grpc(photo: bytes, model_name: str, address: Address) -> Answer:
    """Asks for one photo over gRPC.

    Raises:
        LoadTestError: No answer, or one that is no prediction.
    """
    with grpc.insecure_channel(f"127.0.0.1:{address.grpc_port}") as channel:
        call = channel.unary_unary(PREDICT_METHOD, None, None)
        try:
            raw = call(grpc_body(photo, model_name), timeout=_DEADLINE_S)
        except grpc.RpcError as error:
            raise LoadTestError(f"no answer over gRPC: {error}") from error
    outputs = PredictResponse.FromString(raw).outputs
    if "probabilities" not in outputs or not outputs["label"].string_val:
        raise LoadTestError(f"the answer over gRPC is no prediction: {sorted(outputs)}")
    tensor = outputs["probabilities"]
    floats = tensor.float_val or _floats(tensor.tensor_content)
    return Answer(tuple(floats), outputs["label"].string_val[0].decode())


def disagreement(
    reference: Sequence[Answer], answers: Sequence[Answer], tolerance: float
) -> str | None:
    """What is wrong with a target's answers to the photos that the reference has answered.

    A label may differ only where the reference's two best classes are within the tolerance that
    either may move.

    Returns:
        A sentence, or None where all answers agree.
    """
    for number, (wanted, given) in enumerate(zip(reference, answers, strict=True), start=1):
        if len(wanted.probabilities) != len(given.probabilities):
            return f"photo {number}: {len(given.probabilities)} classes, the reference has others"
        pairs = zip(wanted.probabilities, given.probabilities, strict=True)
        difference = max(abs(a - b) for a, b in pairs)
        if difference > tolerance:
            return f"photo {number}: a probability differs by {difference:.2g} (> {tolerance:g})"
        if wanted.label != given.label and _margin(wanted) > 2 * tolerance:
            return f"photo {number}: label {given.label!r}, the reference says {wanted.label!r}"
    return None


def _floats(content: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(content) // 4}f", content)


def _margin(answer: Answer) -> float:
    best = sorted(answer.probabilities, reverse=True)
    return best[0] - best[1] if len(best) > 1 else best[0]
