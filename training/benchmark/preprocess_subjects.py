"""Table 6.1: photos from files to images, from a Python loop to a cached parallel pipeline.

`Dataset.map` always runs a graph: eager preprocessing exists only as a Python loop or behind
`tf.py_function`.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

import tensorflow as tf

from graphmode.photo import IMAGE_SIZE, photo_to_image
from training.benchmark.interleaved import Subject
from training.dataset import CORES, untuned

LOOP_EAGER = "Python loop, eager"
LOOP_DEFAULT = "Python loop, tf.function default"
LOOP_FIXED = "Python loop, fixed signature"
PY_FUNCTION = "Dataset.map, py_function"
MAP = "Dataset.map"
MAP_FIXED = "Dataset.map, fixed signature"
PARALLEL = "Dataset.map, parallel"
CACHED = "Dataset.map, parallel, cached"

_BATCH = 16
"""Photos that a pipeline gives at a time."""

_PATH = tf.TensorSpec([], tf.string)


def preprocess_subjects(photos: Iterable[Path]) -> tuple[Subject, ...]:
    """The rows of the table, each reading, decoding and resizing all photos once a round."""
    paths = [str(path) for path in photos]
    default = tf.function(_image)
    fixed = tf.function(_image, input_signature=[_PATH])
    in_map = tf.function(_image, input_signature=[_PATH])
    files = tf.data.Dataset.from_tensor_slices(paths)

    def called_from_python(path: tf.Tensor) -> tf.Tensor:
        image = tf.py_function(_image, [path], tf.float32)
        return tf.ensure_shape(image, [IMAGE_SIZE, IMAGE_SIZE, 3])

    def loop(name: str, what: str, function: Callable[[tf.Tensor], tf.Tensor]) -> Subject:
        return Subject(
            name=name,
            what=what,
            run=lambda: len([function(tf.constant(path)) for path in paths]),
        )

    def pipeline(name: str, what: str, dataset: tf.data.Dataset) -> Subject:
        batches = untuned(dataset.batch(_BATCH))
        return Subject(
            name=name, what=what, run=lambda: sum(int(batch.shape[0]) for batch in batches)
        )

    return (
        loop(LOOP_EAGER, "each operation called from Python", _image),
        loop(LOOP_DEFAULT, "one graph a photo, called from Python", default),
        loop(LOOP_FIXED, "the same with input_signature", fixed),
        pipeline(PY_FUNCTION, "tf.data calling eager Python", files.map(called_from_python)),
        pipeline(MAP, "a plain function, traced once by tf.data", files.map(_image)),
        pipeline(MAP_FIXED, "a tf.function with input_signature in it", files.map(in_map)),
        pipeline(PARALLEL, "on all cores", files.map(_image, CORES)),
        pipeline(
            CACHED,
            "kept in memory after the first time, as make train does",
            files.map(_image, CORES).cache(),
        ),
    )


def _image(path: tf.Tensor) -> tf.Tensor:
    """Read a photo: string scalar to float32 [224, 224, 3].

    As a `tf.function`: one trace, for its argument is a string tensor of one shape.
    """
    return photo_to_image(tf.io.read_file(path))
