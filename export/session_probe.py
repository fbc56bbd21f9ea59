"""Runs a SavedModel in a V1 session, as TensorFlow Serving does, and prints what it answers.

`python -m export.session_probe FOLDER PROBE.npz [PHOTOS.json]` is a process of its own, because a
model that crashes a server crashes it too: the gates (`export.gates`) see that from outside. Each
line of stdout is one JSON object; a line with `begins` comes before each step, so that the step
which ended the process is known.

PROBE.npz holds `float32` and `uint8` images `[3,size,size,3]` and three encoded photos `photo_N`;
a third argument, PHOTOS.json, is a list of paths of photos.
"""

import contextlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2
from tensorflow_serving.apis import prediction_log_pb2

from export.probe import ROWS
from export.signatures import CLASSIFY
from export.warmup import WARMUP_FILE, example_of
from graphmode.errors import GraphmodeError
from graphmode.graph.saved_model_graph import saved_model_facts

BATCHES = (1, ROWS)
TEXT = b"not a photo"
PHOTO_SIGNATURE = "image_bytes"
PHOTO_ROWS = 8
MESSAGE_LENGTH = 300

Feeds = Mapping[str, Any]


def main() -> int:
    """Runs every step; 0 whatever the model answers."""
    folder, probe_file = Path(sys.argv[1]), Path(sys.argv[2])
    with np.load(probe_file) as probe:
        inputs = _inputs(dict(probe))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        meta_graph = tf.compat.v1.saved_model.load(session, ["serve"], str(folder))
        signatures = _served(meta_graph)
        _print(signatures=dict(_described(session.graph, signatures)))
        for name, signature in signatures.items():
            for rows in BATCHES:
                feeds = _fed(signature, dict.fromkeys(signature.inputs, inputs[name][:rows]))
                _step(f"{name} with {rows} rows", _answer(session, signature, feeds))
            _step(f"{name} again", _answer(session, signature, feeds))
        for index, (name, values) in enumerate(_warmup_requests(folder)):
            feeds = _fed(signatures[name], values)
            _step(f"warm-up {index} ({name})", _answer(session, signatures[name], feeds))
        for begin, batch in _photos(sys.argv[3:] if PHOTO_SIGNATURE in signatures else []):
            feeds = _fed(signatures[PHOTO_SIGNATURE], {PHOTO_SIGNATURE: batch})
            _step(f"photos {begin}", _answer(session, signatures[PHOTO_SIGNATURE], feeds))
    _refusals(folder)
    _convolutions(folder)
    return 0


def _inputs(probe: Mapping[str, Any]) -> dict[str, Any]:
    """Three rows for each signature that the export writes."""
    photos = [probe[f"photo_{index}"].tobytes() for index in range(max(BATCHES))]
    return {
        "serving_default": probe["float32"],
        "uint8": probe["uint8"],
        "image_bytes": photos,
        "classify": [example_of(photo).SerializeToString() for photo in photos],
    }


def _served(meta_graph: Any) -> dict[str, Any]:  # noqa: ANN401
    """The signatures that clients may call, without TensorFlow's own `__saved_model_init_op`."""
    definitions = meta_graph.signature_def.items()
    return {name: signature for name, signature in definitions if not name.startswith("__")}


def _described(graph: tf.Graph, signatures: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, signature in signatures.items():
        sides = {"inputs": signature.inputs, "outputs": signature.outputs}
        described: dict[str, Any] = {
            side: {alias: _dtype_and_shape(info) for alias, info in tensors.items()}
            for side, tensors in sides.items()
        }
        described["method"] = signature.method_name
        nodes = {graph.get_tensor_by_name(info.name).op for info in signature.outputs.values()}
        described["nodes"] = sorted(node.type for node in nodes)
        yield name, described


def _dtype_and_shape(info: Any) -> list[Any]:  # noqa: ANN401
    shape = [dim.size for dim in info.tensor_shape.dim]
    return [tf.dtypes.as_dtype(info.dtype).name, shape]


def _warmup_requests(folder: Path) -> Iterator[tuple[str, Feeds]]:
    file = folder / "assets.extra" / WARMUP_FILE
    if not file.is_file():
        return
    for record in tf.compat.v1.io.tf_record_iterator(str(file)):
        log = prediction_log_pb2.PredictionLog.FromString(record)
        if log.HasField("classify_log"):
            request = log.classify_log.request
            examples = request.input.example_list.examples
            texts = [example.SerializeToString() for example in examples]
            yield request.model_spec.signature_name, {"inputs": texts}
        else:
            request = log.predict_log.request
            tensors = {alias: tf.make_ndarray(value) for alias, value in request.inputs.items()}
            yield request.model_spec.signature_name, tensors


def _photos(arguments: list[str]) -> Iterator[tuple[int, list[bytes]]]:
    if not arguments:
        return
    paths = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    for begin in range(0, len(paths), PHOTO_ROWS):
        yield begin, [Path(path).read_bytes() for path in paths[begin : begin + PHOTO_ROWS]]


def _convolutions(folder: Path) -> None:
    """How many convolutions of which op there are in the graph that really runs."""
    _print(begins="reading the optimised graph")
    with contextlib.suppress(GraphmodeError):
        ops = saved_model_facts(folder, "serving_default").after.ops
        _print(convolutions={op: count for op, count in ops.items() if "Conv2D" in op})


def _refusals(folder: Path) -> None:
    """Asks what must be refused.

    Python's side of a session would itself refuse a wrong rank. So the graph is imported behind
    placeholders of unknown shape, and the tensor reaches the model, as it does in a server.
    """
    saved = saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    signatures = _served(saved.meta_graphs[0])
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        open_inputs = {
            info.name: tf.compat.v1.placeholder(tf.dtypes.as_dtype(info.dtype))
            for signature in signatures.values()
            for info in signature.inputs.values()
        }
        tf.compat.v1.saved_model.load(session, ["serve"], str(folder), input_map=open_inputs)
        for name, signature in signatures.items():
            (info,) = signature.inputs.values()
            for wrong, value in _wrong_inputs(name, info.dtype):
                feeds = {open_inputs[info.name]: value}
                _step(f"{name} with {wrong}", _answer(session, signature, feeds))


def _wrong_inputs(signature: str, dtype: int) -> Iterator[tuple[str, Any]]:
    """What the signature must refuse, each with its name."""
    if tf.dtypes.as_dtype(dtype) != tf.string:
        for shape in ((1,), (1, 1), (1, 7, 7, 3)):
            yield f"shape {list(shape)}", np.zeros(shape)
        return
    text = example_of(TEXT).SerializeToString() if signature == CLASSIFY else TEXT
    yield "shape []", text
    yield "shape [1, 1]", [[text]]
    yield "a text as photo", [text]


def _fed(signature: Any, values: Feeds) -> dict[str, Any]:  # noqa: ANN401
    return {signature.inputs[alias].name: value for alias, value in values.items()}


def _answer(
    session: tf.compat.v1.Session,
    signature: Any,  # noqa: ANN401
    feeds: Feeds,
) -> Callable[[], dict[str, Any]]:
    fetches = {alias: info.name for alias, info in signature.outputs.items()}
    return lambda: {
        alias: _plain(value) for alias, value in session.run(fetches, dict(feeds)).items()
    }


def _plain(value: Any) -> Any:  # noqa: ANN401
    if value.dtype == object:
        return np.char.decode(value.astype(bytes), "utf-8").tolist()
    return value.tolist()


def _step(name: str, run: Callable[[], dict[str, Any]]) -> None:
    _print(begins=name)
    try:
        _print(step=name, answer=run())
    except tf.errors.OpError as error:
        message = " ".join(error.message.split())
        _print(step=name, error=f"{type(error).__name__}: {message[:MESSAGE_LENGTH]}")


def _print(**line: Any) -> None:  # noqa: ANN401
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    sys.exit(main())
