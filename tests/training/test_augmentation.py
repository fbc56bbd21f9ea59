"""Crops, mirror images and colours are what they say; the same seed gives the same ones."""

import numpy as np
import pytest
import tensorflow as tf
from PIL import Image, ImageEnhance

from training.augmentation import augment, crop_and_flip, recolour

SEED = tf.constant([3, 4])
NOISE = np.random.default_rng(1).integers(0, 256, (6, 40, 30, 3), np.uint8)


def ramp(rows):
    """Images whose red is the column and green the row."""
    columns, lines = np.meshgrid(range(0, 256, 4), range(0, 256, 4))
    one = np.stack([columns, lines, np.zeros_like(lines)], -1).astype(np.uint8)
    return np.repeat(one[None], rows, 0)


def factors(*three):
    return [tf.constant([value], tf.float32) for value in three]


def test_half_of_the_crops_are_mirrored():
    crops = crop_and_flip(ramp(200), 16, SEED, 0.35).numpy()
    mirrored = crops[:, 0, 0, 0] > crops[:, 0, -1, 0]
    assert 60 < mirrored.sum() < 140
    assert (crops[:, 0, 0, 1] < crops[:, -1, 0, 1]).all()


@pytest.mark.parametrize("area_min", [0.1, 0.6, 1.0])
def test_crops_cover_no_less_than_the_smallest_area_and_up_to_all(area_min):
    crops = crop_and_flip(ramp(400), 8, SEED, area_min).numpy() * 255 / 252
    width = np.abs(crops[:, 0, -1, 0] - crops[:, 0, 0, 0])
    height = crops[:, -1, 0, 1] - crops[:, 0, 0, 1]
    area = width * height
    assert area_min - 0.001 < area.min() < area_min + 0.05
    assert area.max() > 0.9
    # The crops that no border held back.
    free = np.maximum(width, height) < 0.99
    ratio = (width / height)[free]
    assert ((ratio > 0.74) & (ratio < 1.35)).all()
    assert area_min == 1.0 or free.sum() > 40


@pytest.mark.parametrize("color", [0.0, 0.4])
def test_the_same_seed_gives_the_same_pixels_eagerly_and_in_a_graph(color):
    def run(image):
        return augment(image, 16, SEED, 0.3, color)

    first = run(NOISE).numpy()
    np.testing.assert_array_equal(run(NOISE), first)
    np.testing.assert_array_equal(tf.function(run)(NOISE), first)
    assert (augment(NOISE, 16, SEED + 1, 0.3, color).numpy() != first).any()


def test_colours_change_and_crops_stay_as_they_are_without_them():
    plain, changed = (augment(NOISE, 16, SEED, 0.3, color).numpy() for color in (0.0, 0.001))
    assert 0 < np.abs(changed - plain).max() < 0.01


def test_images_of_one_batch_differ():
    crops = augment(np.repeat(NOISE[:1], 4, 0), 16, SEED, 0.3, 0.4).numpy()
    means = {tuple(crop.mean((0, 1)).round(4)) for crop in crops}
    assert len(means) == 4


def test_the_result_lies_in_0_to_1():
    changed = recolour(tf.constant(NOISE[:1] / 255, tf.float32), *factors(1.5, 1.9, 1)).numpy()
    assert changed.dtype == np.float32
    assert (changed.min(), changed.max()) == (0, 1)


def test_factors_of_one_change_nothing():
    image = tf.constant(NOISE[:1] / 255, tf.float32)
    np.testing.assert_allclose(recolour(image, *factors(1, 1, 1)), image, atol=1e-6)


@pytest.mark.parametrize(
    ("enhancer", "place"),
    [
        (ImageEnhance.Brightness, 0),
        (ImageEnhance.Contrast, 1),
        (ImageEnhance.Color, 2),
    ],
)
@pytest.mark.parametrize("factor", [0.5, 1.4])
def test_each_factor_does_what_pillows_enhancer_does(enhancer, place, factor):
    three = [1.0, 1.0, 1.0]
    three[place] = factor
    changed = recolour(tf.constant(NOISE[:1] / 255, tf.float32), *factors(*three))
    expected = np.asarray(enhancer(Image.fromarray(NOISE[0])).enhance(factor))
    # Pillow rounds gray and result to whole numbers.
    np.testing.assert_allclose(changed[0] * 255, expected, atol=1.6)


def test_the_three_together_are_one_after_the_other():
    image = tf.constant(0.4 + 0.2 * NOISE[:1] / 255, tf.float32)
    together = recolour(image, *factors(1.1, 0.8, 1.2))
    for three in ((1, 1, 1.2), (1, 0.8, 1), (1.1, 1, 1)):
        image = recolour(image, *factors(*three))
    np.testing.assert_allclose(together, image, atol=1e-6)


def test_colours_do_not_follow_from_crops():
    rows = 300
    crops = crop_and_flip(ramp(rows), 8, SEED, 0.3).numpy()
    height = crops[:, -1, 0, 1] - crops[:, 0, 0, 1]
    width = np.abs(crops[:, 0, -1, 0] - crops[:, 0, 0, 0])
    gray = np.full((rows, 8, 8, 3), 100, np.uint8)
    brightness = augment(gray, 8, SEED, 0.3, 0.4).numpy().mean((1, 2, 3))
    assert brightness.std() > 0.05
    assert abs(np.corrcoef(width * height, brightness)[0, 1]) < 0.2
