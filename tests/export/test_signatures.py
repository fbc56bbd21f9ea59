import numpy as np
import pytest
import tensorflow as tf

from export.folding import FoldedNetwork
from export.signatures import Answers
from export.warmup import example_of

LABELS = ("cat", "dog", "fox")


@pytest.fixture(scope="module")
def signatures(network):
    folded = FoldedNetwork(network, tf.float32)
    return Answers(folded, LABELS, image_size=32).signatures()


@pytest.fixture(scope="module")
def photo():
    pixels = np.random.default_rng(2).integers(0, 255, (40, 50, 3), dtype=np.uint8)
    return tf.io.encode_png(pixels).numpy()


@pytest.mark.parametrize("name", ["serving_default", "uint8", "image_bytes", "classify"])
def test_each_signature_is_traced_once_for_any_batch_size(signatures, photo, name):
    values = {
        "serving_default": np.zeros((3, 32, 32, 3), np.float32),
        "uint8": np.zeros((3, 32, 32, 3), np.uint8),
        "image_bytes": [photo] * 3,
        "classify": [example_of(photo).SerializeToString()] * 3,
    }
    for rows in (1, 2, 3):
        signatures[name](tf.constant(values[name][:rows]))
    assert signatures[name].experimental_get_tracing_count() == 1


def test_an_image_in_bytes_is_the_image_in_0_to_1(signatures, images):
    pixels = (images * 255).astype(np.uint8)
    floats = signatures["serving_default"](tf.constant(pixels / np.float32(255)))
    scaled = signatures["uint8"](tf.constant(pixels))
    np.testing.assert_allclose(scaled["probabilities"], floats["probabilities"], atol=1e-6)


def test_the_label_is_the_class_of_the_highest_probability(signatures, images):
    answer = signatures["serving_default"](tf.constant(images))
    best = np.argmax(answer["probabilities"], axis=1)
    assert [label.decode() for label in answer["label"].numpy()] == [LABELS[i] for i in best]


def test_classify_gives_every_class_its_score(signatures, photo):
    example = example_of(photo).SerializeToString()
    answer = signatures["classify"](tf.constant([example, example]))
    probabilities = signatures["image_bytes"](tf.constant([photo, photo]))["probabilities"]
    assert answer["classes"].numpy().tolist() == [[label.encode() for label in LABELS]] * 2
    np.testing.assert_array_equal(answer["scores"], probabilities)


def test_one_bad_photo_in_a_batch_is_an_invalid_argument(signatures, photo):
    with pytest.raises(tf.errors.InvalidArgumentError):
        signatures["image_bytes"](tf.constant([photo, b"not a photo"]))


def test_an_example_without_a_photo_is_an_invalid_argument(signatures):
    empty = tf.train.Example().SerializeToString()
    with pytest.raises(tf.errors.InvalidArgumentError):
        signatures["classify"](tf.constant([empty]))
