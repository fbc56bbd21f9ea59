"""The plan of a fuzz, without a model."""

import math
from collections import Counter

import numpy as np
import pytest
import tensorflow as tf
from google.protobuf.message import DecodeError

from export.fuzz.example_features import endless_example
from export.fuzz.requests import Input, planned
from export.fuzz.shapes import MOST_ELEMENTS

INPUTS = {
    "image": [Input(alias="image", dtype=tf.float32, declared=(None, 8, 8, 3))],
    "bytes": [Input(alias="image_bytes", dtype=tf.string, declared=(None,))],
    "tokens": [
        Input(alias="ids", dtype=tf.int32, declared=(None, None)),
        Input(alias="mask", dtype=tf.bool, declared=(None, None)),
        Input(alias="half", dtype=tf.bfloat16, declared=None),
        Input(alias="wave", dtype=tf.complex64, declared=()),
    ],
}
EXAMPLE = tf.train.Example(
    features=tf.train.Features(
        feature={
            "photo": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a" * 300])),
            "age": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0])),
        }
    )
).SerializeToString()


def requests(count, seed=0):
    return list(planned(INPUTS, count, seed))


def bits(request):
    values = request.values.values()
    return [value.tolist() if value.dtype == object else value.tobytes() for value in values]


def test_the_same_seed_gives_the_same_requests():
    first, second = requests(400), requests(400)
    assert [each.described() for each in first] == [each.described() for each in second]
    assert [bits(each) for each in first] == [bits(each) for each in second]


def test_another_seed_gives_others():
    described = [[each.described() for each in requests(200, seed)] for seed in (0, 1)]
    assert described[0] != described[1]


def test_no_tensor_has_more_elements_than_the_bound():
    largest = max(
        math.prod(value.shape) for each in requests(3000) for value in each.values.values()
    )
    assert 60_000 < largest <= MOST_ELEMENTS


def test_signatures_take_turns_and_each_gives_every_input():
    made = requests(90)
    assert set(Counter(each.signature for each in made).values()) == {30}
    for each in made:
        assert set(each.values) == {one.alias for one in INPUTS[each.signature]}


def test_most_images_are_not_of_the_declared_shape():
    images = [each.values["image"] for each in requests(3000) if each.signature == "image"]
    right = [image for image in images if image.shape[1:] == (8, 8, 3)]
    assert 20 <= len(right) < len(images) / 4
    assert {image.ndim for image in images} == set(range(6))
    assert any(image.size == 0 for image in images)


def test_only_a_request_of_the_declared_types_and_shapes_fits_its_signature():
    for each in requests(600):
        if each.signature == "image":
            image = each.values["image"]
            assert each.fits == (image.shape[1:] == (8, 8, 3) and image.dtype == np.float32), each
    assert {each.fits for each in requests(600) if each.signature == "tokens"} == {True, False}


def test_an_endless_example_has_the_same_features_and_no_protobuf_reads_it():
    example = tf.train.Example.FromString(EXAMPLE)
    endless = endless_example(EXAMPLE)
    assert all(key.encode() in endless for key in example.features.feature)
    with pytest.raises(DecodeError):
        tf.train.Example.FromString(endless)
    sent = [
        each.values["image_bytes"].tolist()
        for each in planned(INPUTS, 200, 0, EXAMPLE)
        if each.signature == "bytes"
    ]
    assert [EXAMPLE] in sent
    assert [endless] in sent


@pytest.mark.parametrize(
    "is_odd",
    [np.isnan, np.isposinf, np.isneginf, lambda image: (image != 0) & (abs(image) < 1e-40)],
    ids=["nan", "infinity", "negative infinity", "denormal"],
)
def test_images_of_the_right_shape_hold_odd_numbers(is_odd):
    right = [
        each.values["image"]
        for each in requests(200)
        if each.signature == "image" and each.values["image"].shape[1:] == (8, 8, 3)
    ]
    assert any(is_odd(image.astype(np.float32)).any() for image in right if image.dtype != object)


def test_texts_are_photos_whole_cut_and_damaged():
    texts = {
        text
        for each in requests(2000)
        if each.signature == "bytes" and each.values["image_bytes"].dtype == object
        for text in each.values["image_bytes"].flat
    }
    for head in (b"\xff\xd8\xff", b"\x89PNG", b"BM", b"GIF8", b"RIFF"):
        assert any(text.startswith(head) for text in texts)
    assert b"" in texts
    assert len(texts) > 300
