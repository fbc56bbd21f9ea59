"""The photo within a serialized tf.Example, read in graph code.

    Example.features -> Features.feature (entries) -> key, value -> Feature.bytes_list -> value

`tf.io.parse_example` is not used, because TensorFlow 2.21's fast parser ends the process on some
damaged messages (a bytes value whose stated length is nonsense), in Python as in a server.
"""

import tensorflow as tf

FEATURE = "image/encoded"

_WHOLE = tf.train.Example(
    features=tf.train.Features(
        feature={FEATURE: tf.train.Feature(bytes_list=tf.train.BytesList(value=[b""]))}
    )
).SerializeToString()


def photos_of(examples: tf.Tensor) -> tf.Tensor:
    """Read the bytes feature `image/encoded`.

    Args:
        examples: string [B], each a serialized tf.Example; B may be 0.

    Returns:
        string [B].

    Raises:
        tf.errors.InvalidArgumentError: an example without exactly one value there, named by its
            place in the batch.
        tf.errors.DataLossError: an example that is cut or damaged.
    """
    # The operation refuses an empty batch. A last example, taken off again, makes it never empty.
    entries = _field(
        _last(_field(tf.concat([examples, [_WHOLE]], 0), "tensorflow.Example", "features")),
        "tensorflow.Features",
        "feature",
    )
    keys = _last(_field(entries, "tensorflow.Features.FeatureEntry", "key"))
    values = _last(_field(entries, "tensorflow.Features.FeatureEntry", "value"))
    # Of a key that comes twice the values, one after the other, are the message merged of both.
    feature = tf.strings.reduce_join(tf.where(tf.equal(keys, FEATURE), values, ""), axis=1)
    bytes_list = _last(_field(feature, "tensorflow.Feature", "bytes_list"))
    decoded = tf.io.decode_proto(bytes_list, "tensorflow.BytesList", ["value"], [tf.string])
    counts, photos = decoded.sizes[:-1, 0], decoded.values[0][:-1, 0]
    with tf.control_dependencies([_only_one(counts)]):
        return tf.identity(photos)


def _field(messages: tf.Tensor, kind: str, name: str) -> tf.Tensor:
    """Each message's values of a field, string `[..., most values]`, filled up with ""."""
    return tf.io.decode_proto(messages, kind, [name], [tf.string]).values[0]


def _last(values: tf.Tensor) -> tf.Tensor:
    """Of a field that is not repeated: its last value, or ""."""
    return tf.strings.reduce_join(values[..., -1:], axis=-1)


def _only_one(counts: tf.Tensor) -> tf.Operation:
    """Finds that each example has one photo, int32 `[B]`."""
    wrong = tf.not_equal(counts, 1)
    index = tf.argmax(tf.concat([wrong, [True]], 0), output_type=tf.int32)
    count = tf.concat([counts, [1]], 0)[index]
    sentence = tf.strings.join(
        [
            "example ",
            tf.strings.as_string(index),
            f" of the batch: expected one photo in the bytes feature {FEATURE}, got ",
            tf.strings.as_string(count),
        ]
    )
    # The raw operation, because `tf.debugging.Assert` words its error otherwise in eager code.
    return tf.raw_ops.Assert(condition=~tf.reduce_any(wrong), data=[sentence])
