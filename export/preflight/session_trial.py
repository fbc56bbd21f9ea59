"""Loads a SavedModel into a V1 session, asks each signature, replays the warm-up requests.

`python -m export.preflight.session_trial FOLDER [SIGNATURE_TO_LEAVE_OUT ...]` is a process of its
own: what ends a server ends it too. Each line of stdout is one JSON object; a line with `begins`
comes before each step.
"""

import json
import re
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from export.errors import ExportError
from export.fuzz.example_features import wanted_example
from export.fuzz.open_graph import OpenSignature, opened, served_meta_graph
from export.preflight.samples import samples
from export.preflight.trial import INPUT_ERRORS, WARMUP_STEP
from export.preflight.warmup_file import WarmupRequest, read_warmup

_MESSAGE_LENGTH = 300
_WHERE = re.compile(r"Graph execution error:\s|Detected at (?s:.*?)\nNode: '.*'\n|\[\[.*?\]\]")
"""What TensorFlow's Python puts around a message."""


def main(arguments: list[str]) -> int:
    """Runs every step; 0 whatever the model answers."""
    folder, left_out = Path(arguments[0]), set(arguments[1:])
    example = wanted_example(served_meta_graph(folder).graph_def)
    with ExitStack() as stack:
        try:
            session, found = stack.enter_context(opened(folder))
        except (tf.errors.OpError, OSError, RuntimeError, ValueError) as error:
            _print(unloadable=_short(error))
            return 0
        signatures = {name: each for name, each in found.items() if name not in left_out}
        for name, signature in signatures.items():
            _print(begins=f"a request to {name}")
            _print(signature=name, **_asked(session, signature, example))
        with suppress(ExportError):  # which `warmup_checks` tells
            for request in read_warmup(folder):
                if request.signature in signatures:
                    _print(begins=f"{WARMUP_STEP} {request.index}")
                    answer = _replay(session, signatures[request.signature], request)
                    _print(warmup=request.index, **answer)
    return 0


def _asked(
    session: tf.compat.v1.Session, signature: OpenSignature, example: bytes
) -> dict[str, Any]:
    """The first answer to a sample, or the last error."""
    said: dict[str, Any] = {}
    for values in samples(signature.inputs, example):
        fed = {alias: values[alias] for alias in signature.placeholders}
        said = _said(lambda fed=fed: signature.run(session, fed))  # type: ignore[misc]
        said["rows"] = max(
            (value.shape[0] for value in values.values() if value.ndim), default=None
        )
        if said.get("error") not in INPUT_ERRORS:
            break
    return said


def _replay(
    session: tf.compat.v1.Session, signature: OpenSignature, request: WarmupRequest
) -> dict[str, Any]:
    if request.values.keys() != signature.inputs.keys():
        message = f"expected inputs {sorted(signature.inputs)}, got {sorted(request.values)}"
        return {"error": "InvalidArgumentError", "message": message}
    unknown = sorted(set(request.outputs) - signature.fetches.keys())
    if unknown:
        return {"error": "InvalidArgumentError", "message": f"there is no output {unknown[0]!r}"}
    fed = {alias: request.values[alias] for alias in signature.placeholders}
    return _said(lambda: signature.run(session, fed))


def _said(run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return {"outputs": {alias: _described(value) for alias, value in run().items()}}
    except tf.errors.OpError as error:
        return {"error": type(error).__name__, "message": _short(error)}


def _described(value: Any) -> dict[str, Any]:  # noqa: ANN401
    array = np.asarray(value, object if isinstance(value, bytes) else None)
    texts = array.flat if array.dtype == object else ()
    return {"shape": list(array.shape), "binary": not all(map(_is_text, texts))}


def _is_text(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _short(error: Exception) -> str:
    """The message on one line, without where in the graph it arose."""
    message = error.message if isinstance(error, tf.errors.OpError) else str(error)
    message = _WHERE.sub("", message.partition("\n\nOriginal stack trace")[0])
    return " ".join(message.split())[:_MESSAGE_LENGTH]


def _print(**line: Any) -> None:  # noqa: ANN401
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
