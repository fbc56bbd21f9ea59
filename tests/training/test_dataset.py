"""Batches hold the photos that went in, scaled as serving scales them; seed and epoch fix them."""

import numpy as np
import pytest
import tensorflow as tf

from graphmode.photo import photo_to_image
from training.dataset import DecodedPhotos, train_batches, validation_batches
from training.photo_folder import read_photo_folder


@pytest.fixture(scope="module")
def photos(photos_dir):
    return read_photo_folder(photos_dir).train


@pytest.fixture(scope="module")
def decoded(photos):
    return DecodedPhotos(photos, 32)


def images_of(batches):
    return np.concatenate([image for image, _ in batches])


def labels_of(batches):
    return np.concatenate([label for _, label in batches])


def test_an_epoch_holds_every_photo_once(decoded, tiny_config):
    batches = list(train_batches(decoded, tiny_config(), epoch=0))
    assert [len(label) for _, label in batches] == [8, 8, 6]
    assert sorted(labels_of(batches)) == [0] * 11 + [1] * 11


def test_training_images_are_float_crops_in_0_to_1(decoded, tiny_config):
    image, label = next(iter(train_batches(decoded, tiny_config(course=("24x1",)), epoch=0)))
    assert (image.shape, image.dtype, label.dtype) == ([8, 24, 24, 3], tf.float32, tf.int32)
    assert 0 <= image.numpy().min() < 0.5 < image.numpy().max() <= 1


def test_each_lap_has_its_crop_size(decoded, tiny_config):
    config = tiny_config(course=("16x2", "24x1"))
    sizes = [images_of(train_batches(decoded, config, epoch)).shape[1] for epoch in range(3)]
    assert sizes == [16, 16, 24]


def test_labels_stay_with_their_photos(decoded, tiny_config):
    for image, label in train_batches(decoded, tiny_config(), epoch=1):
        is_red = np.mean(image[..., 0], (1, 2)) > np.mean(image[..., 2], (1, 2))
        np.testing.assert_array_equal(is_red, label == 1)


def test_the_same_epoch_gives_the_same_batches(photos, tiny_config):
    first, again = (
        images_of(train_batches(DecodedPhotos(photos, 32), tiny_config(), epoch=1))
        for _ in range(2)
    )
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize(("seed", "epoch"), [(1, 1), (2, 0)])
def test_another_seed_or_epoch_gives_others(seed, epoch, decoded, tiny_config):
    first = images_of(train_batches(decoded, tiny_config(), epoch=0))
    assert (first != images_of(train_batches(decoded, tiny_config(seed=seed), epoch))).any()


def test_validation_sees_each_photo_in_order_as_serving_does(photos, decoded, tiny_config):
    batches = list(validation_batches(decoded, tiny_config(), 32))
    expected = [photo_to_image(tf.io.read_file(str(photo.path)), 32) for photo in photos]
    # The cache keeps whole numbers of 0..255.
    np.testing.assert_allclose(images_of(batches), expected, atol=0.501 / 255)
    assert labels_of(batches).tolist() == [photo.label for photo in photos]


def test_photos_are_decoded_once(tmp_path, save_photo, tiny_config):
    photos_dir = tmp_path / "photos"
    path = save_photo(photos_dir / "red" / "a.jpg", 1)
    save_photo(photos_dir / "blue" / "b.jpg", 0)
    decoded = DecodedPhotos(read_photo_folder(photos_dir).train, 32)
    first = images_of(validation_batches(decoded, tiny_config(), 32))
    path.unlink()
    np.testing.assert_array_equal(images_of(validation_batches(decoded, tiny_config(), 32)), first)


def test_crops_and_colours_are_as_wide_as_the_settings_say(decoded, tiny_config):
    whole = tiny_config(crop_area_min=1.0, color=0.0)
    first = images_of(train_batches(decoded, whole, epoch=0))
    wider, recoloured = (
        images_of(train_batches(decoded, tiny_config(**changed), epoch=0))
        for changed in (
            {"crop_area_min": 0.3, "color": 0.0},
            {"crop_area_min": 1.0, "color": 0.3},
        )
    )
    assert np.abs(wider - first).mean() > 0.02
    assert 0.02 < np.abs(recoloured - first).mean() < 0.3
