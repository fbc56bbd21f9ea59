"""What the JSON of TensorFlow Serving's REST API makes of texts that are no text.

An output is sent as {"b64": ...} where its alias ends in `_bytes`, else as raw bytes. An input
takes {"b64": ...} whatever its alias.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import tensorflow as tf

from export.preflight.finding import Finding, ok, warning
from export.preflight.reach import Reach
from export.preflight.trial import Trial

NAME = "base64 aliases"
_SUFFIX = "_bytes"
_BINARY_WRITERS = frozenset(
    {
        *("EncodeJpeg", "EncodeJpegVariableQuality", "EncodePng", "EncodeWav", "EncodeProto"),
        *("SerializeTensor", "SerializeSparse", "SerializeManySparse"),
    }
)
_BINARY_READERS = frozenset(
    {
        *("DecodeJpeg", "DecodePng", "DecodeBmp", "DecodeGif", "DecodeImage", "DecodeWebP"),
        *("DecodeAndCropJpeg", "DecodeRaw", "DecodePaddedRaw", "DecodeWav", "DecodeCompressed"),
        *("ParseExample", "ParseExampleV2", "ParseSingleExample", "ParseTensor", "DecodeProtoV2"),
    }
)
_OF_EXAMPLES = ("tensorflow/serving/classify", "tensorflow/serving/regress")
"""Methods whose alias `inputs` is given, and whose Examples a client never encodes itself."""


def check_aliases(
    signatures: Mapping[str, Any], reaches: Mapping[str, Reach], trial: Trial
) -> Finding:
    """Whether REST clients can read what comes, and see what to send."""
    outputs = list(_binary_outputs(signatures, reaches, trial))
    inputs = list(_binary_inputs(signatures, reaches))
    if outputs:
        return warning(
            NAME,
            f"{', '.join(outputs)} may hold bytes that are no UTF-8, which REST sends raw: "
            "the reply is then no valid JSON.",
            f"End the output's alias in {_SUFFIX}; REST then sends base64.",
        )
    if inputs:
        return warning(
            NAME,
            f'{", ".join(inputs)} takes encoded bytes: REST wants them as {{"b64": ...}}, which '
            "works under any alias, but the name does not say it.",
            f"End the input's alias in {_SUFFIX}, as clients expect, or tell them.",
        )
    return ok(NAME, "No text input or output is binary without its alias saying so.")


def _binary_outputs(
    signatures: Mapping[str, Any], reaches: Mapping[str, Reach], trial: Trial
) -> Iterator[str]:
    for name, signature in signatures.items():
        writes = bool(_BINARY_WRITERS & reaches[name].ops())
        answer = trial.answers.get(name)
        for alias, info in signature.outputs.items():
            was_binary = answer is not None and answer.outputs.get(alias, {}).get("binary", False)
            if _is_unmarked_text(alias, info) and (writes or was_binary):
                yield f"output {name}.{alias}"


def _binary_inputs(signatures: Mapping[str, Any], reaches: Mapping[str, Reach]) -> Iterator[str]:
    for name, signature in signatures.items():
        if signature.method_name not in _OF_EXAMPLES and _BINARY_READERS & reaches[name].ops():
            for alias, info in signature.inputs.items():
                if _is_unmarked_text(alias, info):
                    yield f"input {name}.{alias}"


def _is_unmarked_text(alias: str, info: Any) -> bool:  # noqa: ANN401
    return info.dtype == tf.string.as_datatype_enum and not alias.endswith(_SUFFIX)
