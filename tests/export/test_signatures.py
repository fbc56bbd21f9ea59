import numpy as np
import pytest
import tensorflow as tf

from export.folding import FoldedNetwork
from export.signatures import Answers
from export.warmup import example_of
from export.weights import Weights

LABELS = ("cat", "dog", "fox")


@pytest.fixture(scope="module")
def signatures(network):
    folded = FoldedNetwork(network, Weights(tf.float32))
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


@pytest.mark.parametrize("bad", [b"", b"no photo", None], ids=["empty", "text", "cut short"])
def test_one_bad_photo_in_a_batch_is_named(signatures, photo, bad):
    batch = [photo, photo, photo[:200] if bad is None else bad, photo]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="photo 2 of the batch: expected a JPEG"
    ):
        signatures["image_bytes"](tf.constant(batch))


def test_one_bad_photo_in_an_example_is_named(signatures, photo):
    examples = [example_of(one).SerializeToString() for one in (photo, b"no photo")]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="photo 1 of the batch: expected a JPEG"
    ):
        signatures["classify"](tf.constant(examples))


def test_an_example_without_a_photo_is_named(signatures, photo):
    examples = [example_of(photo), tf.train.Example()]
    serialized = tf.constant([example.SerializeToString() for example in examples])
    with pytest.raises(tf.errors.InvalidArgumentError, match="example 1 of the batch"):
        signatures["classify"](serialized)


@pytest.mark.parametrize(
    ("name", "empty"),
    [
        ("serving_default", tf.zeros([0, 32, 32, 3], tf.float32)),
        ("uint8", tf.zeros([0, 32, 32, 3], tf.uint8)),
        ("image_bytes", tf.zeros([0], tf.string)),
        ("classify", tf.zeros([0], tf.string)),
    ],
)
def test_an_empty_batch_gives_empty_outputs_or_is_refused(signatures, name, empty):
    """The process must live; oneDNN's convolution refuses an empty batch, Eigen's takes it."""
    try:
        answer = signatures[name](empty)
    except tf.errors.InvalidArgumentError:
        return
    for output, value in answer.items():
        assert value.shape == ([0] if output == "label" else [0, len(LABELS)]), output


class QuantizedNetwork:
    """Takes pixels as they are, and says so by an answer of its own."""

    def __call__(self, images):
        return tf.tile([[1.0, 0.0, 0.0]], [tf.shape(images)[0], 1])

    def from_pixels(self, pixels):
        assert pixels.dtype == tf.uint8
        return tf.tile([[0.0, 0.0, 1.0]], [tf.shape(pixels)[0], 1])


def test_a_network_that_takes_pixels_is_given_them():
    quantized = Answers(QuantizedNetwork(), LABELS, image_size=32).signatures()
    by_pixels = quantized["uint8"](tf.zeros([1, 32, 32, 3], tf.uint8))
    by_floats = quantized["serving_default"](tf.zeros([1, 32, 32, 3], tf.float32))
    assert [answer["label"].numpy().tolist() for answer in (by_pixels, by_floats)] == [
        [b"fox"],
        [b"cat"],
    ]
