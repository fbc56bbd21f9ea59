"""Runs signatures of SavedModels in V1 sessions, as TensorFlow Serving does, one JSON line a step.

`python -m export.guard.trial ORIGINAL GUARDED < guards.json` is a process of its own: a guard that
does not hold may end it. A line with `begins` comes before each step.
"""

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import tensorflow as tf

from export.guard.shape_guards import declared_shape
from graphmode.graph.sample_inputs import sample_input

_MESSAGE_LENGTH = 300
_Attempt = tuple[int, bytes]
"""Size of each dimension that a signature leaves open, and the text of its strings."""


def main() -> int:
    """Runs every step; 0 whatever the models answer."""
    original, guarded = sys.argv[1], sys.argv[2]
    attempts = _attempts()
    for meta_graph in json.load(sys.stdin):
        tags = meta_graph["tags"]
        # Twice, in a session each: what differs by itself cannot be compared.
        _ask("original", original, tags, attempts)
        _ask("repeated", original, tags, attempts)
        answered = _ask("guarded", guarded, tags, attempts)
        if meta_graph["guards"]:
            _send_wrong_shapes(guarded, meta_graph, answered)
    return 0


def _attempts() -> list[_Attempt]:
    """What a signature is asked until it answers: numbers and empty texts first, then photos."""
    photo = bytes(tf.io.encode_png(np.zeros([32, 32, 3], np.uint8)).numpy())
    encoded = tf.train.Feature(bytes_list=tf.train.BytesList(value=[photo]))
    features = tf.train.Features(feature={"image/encoded": encoded})
    example = tf.train.Example(features=features).SerializeToString()
    return [(2, b""), (1, b""), (32, b""), (2, photo), (1, photo), (2, example)]


def _ask(model: str, folder: str, tags: list[str], attempts: list[_Attempt]) -> dict[str, _Attempt]:
    """Asks every signature; returns what each answered to, or what it was asked first."""
    asked = {}
    with _step(f"load {model}", tags), _loaded(folder, tags) as (session, signatures):
        for name, signature in sorted(signatures.items()):
            with _step(model, tags, name) as step:
                asked[name] = attempts[0]
                asked[name], step["outputs"] = _first_answer(session, signature, attempts)
    return asked


def _first_answer(
    session: tf.compat.v1.Session,
    signature: Any,  # noqa: ANN401
    attempts: list[_Attempt],
) -> tuple[_Attempt, dict[str, str]]:
    errors: list[Exception] = []
    for attempt in attempts:
        try:
            return attempt, _answer(session, signature, _values(signature, attempt))
        # A message of TensorFlow that quotes a photo is no UTF-8, which is a ValueError.
        except (tf.errors.OpError, ValueError) as error:
            errors.append(error)
    raise errors[0]


def _send_wrong_shapes(folder: str, meta_graph: Any, attempts: dict[str, _Attempt]) -> None:  # noqa: ANN401
    """Sends each guarded input in every lower rank, one higher, and with other sizes.

    Python's side of a session would itself refuse them. So the graph is imported behind
    placeholders of unknown shape, and the tensor reaches the model, as it does in a server.
    """
    tags, inputs = meta_graph["tags"], meta_graph["guards"]
    with tf.Graph().as_default(), _step("load open", tags):
        opened = {
            each["tensor"]: tf.compat.v1.placeholder(tf.as_dtype(each["dtype"])) for each in inputs
        }
        with _loaded(folder, tags, opened) as (session, signatures):
            for each in inputs:
                name, alias = each["signature"], each["alias"]
                values = _values(signatures[name], attempts[name])
                for shape in _wrong_shapes(each["guard"]):
                    with _step("refusal", tags, name, alias, str(shape)) as step:
                        wrong = np.resize(values[alias], shape)
                        changed = {**values, alias: wrong}
                        step["outputs"] = _answer(session, signatures[name], changed, opened)


def _wrong_shapes(guard: list[int | None]) -> list[list[int]]:
    shapes = [[1] * rank for rank in range(len(guard) + 2) if rank != len(guard)]
    if any(dim is not None for dim in guard):
        shapes.append([1 if dim is None else dim + 1 for dim in guard])
    return shapes


@contextmanager
def _step(name: str, tags: list[str], *of: str) -> Iterator[dict[str, Any]]:
    """Prints that a step begins; then what was put into the dict, or its error."""
    print(json.dumps({"begins": " ".join([name, *of])}), flush=True)
    said: dict[str, Any] = {}
    try:
        yield said
    except (tf.errors.OpError, RuntimeError, OSError, ValueError, TypeError, KeyError) as error:
        said["error"] = type(error).__name__
        said["message"] = " ".join(str(error).split())[:_MESSAGE_LENGTH]
    print(json.dumps({"step": name, "tags": tags, "of": of, **said}), flush=True)


@contextmanager
def _loaded(
    folder: str, tags: list[str], input_map: Mapping[str, tf.Tensor] | None = None
) -> Iterator[tuple[tf.compat.v1.Session, dict[str, Any]]]:
    """A session with the MetaGraph, and its signatures without TensorFlow's own."""
    graph = tf.compat.v1.get_default_graph() if input_map else tf.Graph()
    config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
    with graph.as_default(), tf.compat.v1.Session(config=config) as session:
        meta_graph = tf.compat.v1.saved_model.load(session, tags, folder, input_map=input_map)
        signatures = meta_graph.signature_def.items()
        yield session, {name: each for name, each in signatures if not name.startswith("__")}


def _values(signature: Any, attempt: _Attempt) -> dict[str, Any]:  # noqa: ANN401
    """An array for each input that the signature accepts, as far as it declares its shape."""
    return {alias: _value(alias, info, attempt) for alias, info in signature.inputs.items()}


def _value(alias: str, info: Any, attempt: _Attempt) -> Any:  # noqa: ANN401
    size, text = attempt
    declared = declared_shape(info)
    dims = [None] if declared.rank is None else declared.as_list()
    shape = [size if dim is None else dim for dim in dims]
    dtype = tf.dtypes.as_dtype(info.dtype)
    if dtype == tf.string:
        return np.full(shape, text, object)
    return sample_input(alias, tf.TensorSpec(shape, dtype), {})


def _answer(
    session: tf.compat.v1.Session,
    signature: Any,  # noqa: ANN401
    values: Mapping[str, Any],
    opened: Mapping[str, tf.Tensor] | None = None,
) -> dict[str, str]:
    """A digest of each output."""
    at = {
        info.name: info.name for info in (*signature.inputs.values(), *signature.outputs.values())
    }
    at |= opened or {}
    feeds = {at[signature.inputs[alias].name]: value for alias, value in values.items()}
    fetches = {alias: at[info.name] for alias, info in signature.outputs.items()}
    return {alias: _digest(value) for alias, value in session.run(fetches, feeds).items()}


def _digest(value: Any) -> str:  # noqa: ANN401
    """SHA-256 of all bits of an array, its dtype and its shape."""
    array = np.asarray(value)
    total = hashlib.sha256(f"{array.dtype} {array.shape} ".encode())
    if array.dtype == object:
        for element in array.flat:
            total.update(f"{len(element)} ".encode())
            total.update(element)
    else:
        total.update(array.tobytes())
    return total.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
