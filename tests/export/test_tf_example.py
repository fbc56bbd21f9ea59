"""A photo is read from any example that has one; what has none, or is damaged, is refused."""

import pytest
import tensorflow as tf

from export.tf_example import FEATURE, photos_of

# A bytes value whose length is 2 ** 32 - 1: TensorFlow's own parser does not survive it.
DEADLY = b"\n\x1b\n\x19\n\rimage/encoded\x12\x08\n\x06\n\xff\xff\xff\xff\x0f"


@pytest.fixture(scope="module")
def read():
    """The function in a graph, as a signature has it."""
    return tf.function(photos_of, input_signature=[tf.TensorSpec([None], tf.string)])


def example(**features):
    made = tf.train.Example()
    for name, values in features.items():
        feature = made.features.feature[name.replace("__", "/")]
        kind = feature.bytes_list if isinstance(values[0], bytes) else feature.int64_list
        kind.value.extend(values)
    return made.SerializeToString()


def test_the_photo_is_read_whatever_stands_beside_it(read):
    examples = [
        example(image__encoded=[b"one"]),
        example(height=[3], image__encoded=[b"\xfftwo\x00"], a__text=[b"x", b"y"]),
        example(image__encoded=[b""], width=[1, 2, 3]),
    ]
    assert read(tf.constant(examples)).numpy().tolist() == [b"one", b"\xfftwo\x00", b""]


def test_an_empty_batch_has_no_photos(read):
    assert read(tf.constant([], tf.string)).shape == (0,)


def test_many_examples_are_read_in_order(read):
    photos = [str(number).encode() for number in range(50)]
    examples = [example(image__encoded=[photo]) for photo in photos]
    assert read(tf.constant(examples)).numpy().tolist() == photos


@pytest.mark.parametrize(
    ("odd", "count"),
    [
        (b"", 0),
        (example(image__encoded=[7]), 0),
        (example(other=[b"photo"]), 0),
        (example(image__encoded=[b"one", b"two"]), 2),
    ],
)
def test_an_example_without_one_photo_is_named(read, odd, count):
    examples = [example(image__encoded=[b"fine"]), odd]
    sentence = f"example 1 of the batch: expected one photo .*{FEATURE}, got {count}"
    with pytest.raises(tf.errors.InvalidArgumentError, match=sentence):
        read(tf.constant(examples))


@pytest.mark.parametrize(
    "damaged", [b"xxx", example(image__encoded=[b"photo"])[:-1], DEADLY], ids=str
)
def test_a_damaged_example_is_an_error(read, damaged):
    with pytest.raises(tf.errors.DataLossError):
        read(tf.constant([damaged]))
