"""Writes the SavedModel of one form: graph, one copy of the weights, labels, warm-up requests."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

from export.folding import FoldedNetwork
from export.signatures import CLASSIFY, CLASSIFY_METHOD, Answers
from export.warmup import write_warmup_requests

EXTRA_FOLDER = "assets.extra"
_DTYPES = {"fp32": tf.float32, "bf16": tf.bfloat16}


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What goes into a SavedModel beside the network."""

    labels: tuple[str, ...]
    """A name for each class, in order."""

    precision: str
    """`fp32` or `bf16`."""

    warmup_signatures: tuple[str, ...]
    warmup_batch_sizes: tuple[int, ...]


def write_saved_model(model: Any, contents: Contents, folder: Path) -> int:  # noqa: ANN401
    """Writes `folder`, which does not exist yet; returns the bytes that the weights take.

    Args:
        model: a Functional Keras classifier with softmax output, square RGB input.
        contents: labels, precision, warm-up.
        folder: becomes the SavedModel.

    Raises:
        ExportError: the network has a layer that cannot be folded.
    """
    network = FoldedNetwork(model, _DTYPES[contents.precision])
    image_size = model.inputs[0].shape[1]
    answers = Answers(network, contents.labels, image_size)
    # A session finds only variables that the saved module tracks, and finds each once: the module
    # holds the folded weights alone. One that held the Keras model would run in Python, and fail
    # every request of a server with `Could not find variable`.
    module = tf.Module(name="servable")
    module.weights = network.variables
    tf.saved_model.save(module, str(folder), signatures=answers.signatures())
    _name_classify_method(folder / "saved_model.pb")
    extra = folder / EXTRA_FOLDER
    extra.mkdir()
    lines = "".join(f"{label}\n" for label in contents.labels)
    (extra / "labels.txt").write_text(lines, encoding="utf-8")
    write_warmup_requests(
        extra,
        image_size=image_size,
        signatures=contents.warmup_signatures,
        batch_sizes=contents.warmup_batch_sizes,
    )
    return sum(weight.dtype.size * weight.shape.num_elements() for weight in network.variables)


def _name_classify_method(graph_file: Path) -> None:
    """Gives the classify signature its method name.

    `tf.saved_model.save` calls every signature's method predict. TensorFlow Serving compares the
    name only before 2.15, or with its check switched on.
    """
    saved = saved_model_pb2.SavedModel.FromString(graph_file.read_bytes())
    saved.meta_graphs[0].signature_def[CLASSIFY].method_name = CLASSIFY_METHOD
    graph_file.write_bytes(saved.SerializeToString(deterministic=True))
