"""Small real files of every kind that TensorFlow decodes, and how they get damaged."""

import io
from functools import cache
from typing import Any

import numpy as np
import tensorflow as tf
from PIL import Image

_WIDTH, _HEIGHT = 12, 9
_HEADER_BYTES = 64
"""Where a photo's sizes, kinds and flags stand: damage done here reaches furthest."""


@cache
def photos() -> tuple[bytes, ...]:
    """JPEG, PNG, BMP, GIF and WebP of 12 x 9 pixels; gray, CMYK, with palette, alpha, animated."""
    random = np.random.default_rng(1)
    pixels = random.integers(0, 256, (_HEIGHT, _WIDTH, 3), dtype=np.uint8)
    picture = Image.fromarray(pixels)
    following = [picture.rotate(180), picture.rotate(90)]
    exif = Image.Exif()
    exif[0x0112] = 6  # lies on its side
    return (
        _encode(picture, "JPEG"),
        _encode(picture, "JPEG", exif=exif, progressive=True),
        _encode(picture.convert("L"), "JPEG"),
        _encode(picture.convert("CMYK"), "JPEG"),
        _encode(picture, "PNG"),
        _encode(picture.convert("RGBA"), "PNG"),
        _encode(picture.convert("P"), "PNG"),
        _encode(picture.convert("I;16"), "PNG"),
        _encode(picture, "BMP"),
        _encode(picture.convert("P"), "BMP"),
        _encode(picture, "GIF"),
        _encode(picture, "GIF", save_all=True, append_images=following),
        _encode(picture, "WEBP"),
        _encode(picture, "WEBP", lossless=True),
        _encode(picture.convert("RGBA"), "WEBP", lossless=True, exact=True),
        # Without alpha: tf.io.decode_image(channels=0) corrupts the heap on it.
        _encode(picture, "WEBP", save_all=True, append_images=following),
        _encode(picture.convert("RGBA"), "WEBP", save_all=True, append_images=following),
    )


@cache
def examples() -> tuple[bytes, ...]:
    """Serialized tf.Example: with a photo under the usual name, with numbers, with nothing."""
    lists: tuple[dict[str, Any], ...] = (
        {"image/encoded": tf.train.Feature(bytes_list=tf.train.BytesList(value=[photos()[0]]))},
        {"image/encoded": tf.train.Feature(bytes_list=tf.train.BytesList(value=photos()[:2]))},
        {"image/encoded": tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))},
        {"x": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, float("nan")]))},
        {},
    )
    made = (tf.train.Example(features=tf.train.Features(feature=each)) for each in lists)
    return tuple(example.SerializeToString(deterministic=True) for example in made)


def cut(text: bytes, random: np.random.Generator) -> bytes:
    """The text without its end."""
    return text[: random.integers(0, max(1, len(text)))]


def damaged(text: bytes, random: np.random.Generator) -> bytes:
    """The text with one to three of its bytes changed, in its header more often than not."""
    changed = bytearray(text)
    for _ in range(random.integers(1, 4)):
        within = _HEADER_BYTES if random.random() < 0.7 else len(changed)
        if changed:
            changed[random.integers(0, min(within, len(changed)))] = random.integers(0, 256)
    return bytes(changed)


def grafted(text: bytes, other: bytes, random: np.random.Generator) -> bytes:
    """The head of one text on the body of another."""
    return text[: random.integers(1, _HEADER_BYTES)] + other[random.integers(0, len(other) + 1) :]


def _encode(picture: Image.Image, kind: str, **options: Any) -> bytes:  # noqa: ANN401
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()
