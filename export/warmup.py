"""Warm-up requests: what a server asks a new version before it lets anyone else ask.

Written to `assets.extra/tf_serving_warmup_requests`, a TFRecord of PredictionLog, which TensorFlow
Serving and our server replay. One request a signature and batch size.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorflow.core.framework.tensor_pb2 import TensorProto
from tensorflow_serving.apis import prediction_log_pb2 as logs

from export.signatures import CLASSIFY

WARMUP_FILE = "tf_serving_warmup_requests"


def write_warmup_requests(extra: Path, *, image_size: int, batch_sizes: tuple[int, ...]) -> None:
    """Writes the file into the folder `extra`, a few kilobytes whatever the image size."""
    photo = _photo(image_size)
    with tf.io.TFRecordWriter(str(extra / WARMUP_FILE)) as file:
        for rows in batch_sizes:
            for log in _logs(photo, rows, image_size):
                file.write(log.SerializeToString(deterministic=True))


def example_of(photo: bytes) -> tf.train.Example:
    """The tf.Example that the classify signature reads."""
    feature = tf.train.Feature(bytes_list=tf.train.BytesList(value=[photo]))
    return tf.train.Example(features=tf.train.Features(feature={"image/encoded": feature}))


def _logs(photo: bytes, rows: int, image_size: int) -> Iterator[logs.PredictionLog]:
    shape = [rows, image_size, image_size, 3]
    gray_float, gray_uint8 = _filled(shape, tf.float32), _filled(shape, tf.uint8)
    gray_float.float_val.append(0.5)
    gray_uint8.int_val.append(128)
    yield _predict_log("serving_default", "image", gray_float)
    yield _predict_log("uint8", "image", gray_uint8)
    yield _predict_log("image_bytes", "image_bytes", tf.make_tensor_proto([photo] * rows))
    log = logs.PredictionLog()
    request = log.classify_log.request
    request.model_spec.signature_name = CLASSIFY
    request.input.example_list.examples.extend([example_of(photo)] * rows)
    yield log


def _predict_log(signature: str, alias: str, value: TensorProto) -> logs.PredictionLog:
    log = logs.PredictionLog()
    request = log.predict_log.request
    request.model_spec.signature_name = signature
    request.inputs[alias].CopyFrom(value)
    return log


def _filled(shape: list[int], dtype: tf.DType) -> TensorProto:
    """A tensor whose one value, still to be given, stands for all: TensorProto's short form."""
    return TensorProto(dtype=dtype.as_datatype_enum, tensor_shape=tf.TensorShape(shape).as_proto())


def _photo(size: int) -> bytes:
    """A JPEG of `size` x `size` pixels whose three colours rise along rows and columns."""
    ramp = np.linspace(0, 255, size).astype(np.uint8)
    rows, columns = np.meshgrid(ramp, ramp, indexing="ij")
    pixels = np.stack([rows, columns, rows[::-1]], axis=-1)
    return bytes(tf.io.encode_jpeg(pixels, quality=80).numpy())
