"""Warm-up requests: what a server asks a new version before it lets anyone else ask.

Written to `assets.extra/tf_serving_warmup_requests`, a TFRecord of PredictionLog, which TensorFlow
Serving and our server replay.
"""

from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorflow.core.framework.tensor_pb2 import TensorProto
from tensorflow_serving.apis import prediction_log_pb2 as logs

from export.signatures import CLASSIFY

WARMUP_FILE = "tf_serving_warmup_requests"


def write_warmup_requests(
    extra: Path, *, image_size: int, signatures: tuple[str, ...], batch_sizes: tuple[int, ...]
) -> None:
    """Writes the file into the folder `extra`: a request for each signature and batch size.

    It stays at a few kilobytes whatever the image size.
    """
    photo = _photo(image_size)
    with tf.io.TFRecordWriter(str(extra / WARMUP_FILE)) as file:
        for signature in signatures:
            for rows in batch_sizes:
                log = _log(signature, photo, [rows, image_size, image_size, 3])
                file.write(log.SerializeToString(deterministic=True))


def example_of(photo: bytes) -> tf.train.Example:
    """The tf.Example that the classify signature reads."""
    feature = tf.train.Feature(bytes_list=tf.train.BytesList(value=[photo]))
    return tf.train.Example(features=tf.train.Features(feature={"image/encoded": feature}))


def _log(signature: str, photo: bytes, shape: list[int]) -> logs.PredictionLog:
    """A request of `shape[0]` rows, each gray or the photo."""
    log = logs.PredictionLog()
    if signature == CLASSIFY:
        classify = log.classify_log.request
        classify.model_spec.signature_name = signature
        classify.input.example_list.examples.extend([example_of(photo)] * shape[0])
        return log
    predict = log.predict_log.request
    predict.model_spec.signature_name = signature
    if signature == "image_bytes":
        predict.inputs["image_bytes"].CopyFrom(tf.make_tensor_proto([photo] * shape[0]))
    elif signature == "uint8":
        predict.inputs["image"].CopyFrom(_filled(shape, tf.uint8, int_val=[128]))
    else:
        predict.inputs["image"].CopyFrom(_filled(shape, tf.float32, float_val=[0.5]))
    return log


def _filled(shape: list[int], dtype: tf.DType, **value: list[float]) -> TensorProto:
    """A tensor all of whose elements are the one value: TensorProto's short form."""
    return TensorProto(
        dtype=dtype.as_datatype_enum,
        tensor_shape=tf.TensorShape(shape).as_proto(),
        **value,
    )


def _photo(size: int) -> bytes:
    """A JPEG of `size` x `size` pixels whose three colours rise along rows and columns."""
    ramp = np.linspace(0, 255, size).astype(np.uint8)
    rows, columns = np.meshgrid(ramp, ramp, indexing="ij")
    pixels = np.stack([rows, columns, rows[::-1]], axis=-1)
    return bytes(tf.io.encode_jpeg(pixels, quality=80).numpy())
