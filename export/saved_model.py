"""Writes the SavedModel of one form: graph, one copy of the weights, labels, warm-up requests."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

from export.served_network import ServedNetwork
from export.signatures import CLASSIFY, CLASSIFY_METHOD, Answers
from export.source_run import LABELS_FILE
from export.warmup import write_warmup_requests

EXTRA_FOLDER = "assets.extra"


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What goes into a SavedModel beside the network."""

    labels: tuple[str, ...]
    """A name for each class, in order."""

    image_size: int
    """Width and height of the network's input, in pixels."""

    warmup_signatures: tuple[str, ...]
    warmup_batch_sizes: tuple[int, ...]


def write_saved_model(served: ServedNetwork, contents: Contents, folder: Path) -> Answers:
    """Writes `folder`, which does not exist yet; returns the signatures that it wrote.

    Args:
        served: the network and its weights.
        contents: labels, image size, warm-up.
        folder: becomes the SavedModel.
    """
    answers = Answers(served.network, contents.labels, contents.image_size)
    # A session finds only variables that the saved module tracks, and finds each once: the module
    # holds the folded weights alone. One that held the Keras model would run in Python, and fail
    # every request of a server with `Could not find variable`.
    module = tf.Module(name="servable")
    module.weights = served.weights.variables
    with tempfile.TemporaryDirectory(dir=folder.parent) as beside:
        labels = Path(beside) / LABELS_FILE
        labels.write_text("".join(f"{label}\n" for label in contents.labels), encoding="utf-8")
        module.labels = tf.saved_model.Asset(str(labels))
        tf.saved_model.save(module, str(folder), signatures=answers.signatures())
    _name_classify_method(folder / "saved_model.pb")
    extra = folder / EXTRA_FOLDER
    extra.mkdir()
    write_warmup_requests(
        extra,
        image_size=contents.image_size,
        signatures=contents.warmup_signatures,
        batch_sizes=contents.warmup_batch_sizes,
    )
    return answers


def _name_classify_method(graph_file: Path) -> None:
    """Gives the classify signature its method name.

    `tf.saved_model.save` calls every signature's method predict. TensorFlow Serving compares the
    name only before 2.15, or with its check switched on.
    """
    saved = saved_model_pb2.SavedModel.FromString(graph_file.read_bytes())
    saved.meta_graphs[0].signature_def[CLASSIFY].method_name = CLASSIFY_METHOD
    graph_file.write_bytes(saved.SerializeToString(deterministic=True))
