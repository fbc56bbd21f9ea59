"""The less usual forms of photos come out as Pillow reads them."""

import io
import os
import struct
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
from PIL import Image

from graphmode.photo import decode_photo

PIXELS = np.random.default_rng(4).integers(0, 256, (20, 31, 3), np.uint8)
PHOTO = Image.fromarray(PIXELS)


def encode(photo, image_format, **options):
    encoded = io.BytesIO()
    photo.save(encoded, image_format, **options)
    return encoded.getvalue()


def decode(encoded):
    return decode_photo(tf.constant(bytes(encoded))).numpy()


def by_pillow(encoded):
    return np.asarray(Image.open(io.BytesIO(encoded)).convert("RGB"))


def with_bytes(encoded, at, new):
    return encoded[:at] + new + encoded[at + len(new) :]


FRAMES = {"save_all": True, "append_images": [PHOTO.rotate(180), PHOTO.rotate(90)]}
CLEAR = PHOTO.copy()
CLEAR.putalpha(Image.fromarray(PIXELS[:, :, 0]))
AS_PILLOW = {
    "png of two colours": encode(PHOTO.convert("1"), "PNG"),
    "png of gray with alpha": encode(CLEAR.convert("LA"), "PNG"),
    "png of a palette with a transparent colour": encode(PHOTO.convert("P"), "PNG", transparency=3),
    "png with a transparent colour": encode(PHOTO, "PNG", transparency=(1, 2, 3)),
    "png of 16 bits": tf.io.encode_png(PIXELS.astype(np.uint16) * 250).numpy(),
    "png with more behind it": encode(PHOTO, "PNG") + b"more",
    "animated png": encode(PHOTO, "PNG", **FRAMES),
    "bmp of gray": encode(PHOTO.convert("L"), "BMP"),
    "bmp of a palette": encode(PHOTO.convert("P"), "BMP"),
    "bmp from top to bottom": with_bytes(encode(PHOTO, "BMP"), 22, struct.pack("<i", -20)),
    "bmp with more behind it": encode(PHOTO, "BMP") + b"more",
    "interlaced gif": encode(PHOTO.convert("P"), "GIF", interlace=1),
    "gif with a transparent colour": encode(PHOTO.convert("P"), "GIF", transparency=3),
    "gif with a comment": encode(PHOTO.convert("P"), "GIF", comment=b"x" * 700),
    "animated gif": encode(PHOTO, "GIF", **FRAMES),
    "gif without its last byte": encode(PHOTO.convert("P"), "GIF")[:-1],
    "gif larger than its screen": with_bytes(
        encode(PHOTO.convert("P"), "GIF"), 6, struct.pack("<2H", 3, 4)
    ),
}


@pytest.mark.parametrize("kind", AS_PILLOW)
def test_it_comes_out_as_pillow_reads_it(kind):
    np.testing.assert_array_equal(decode(AS_PILLOW[kind]), by_pillow(AS_PILLOW[kind]))


def test_a_png_of_gray_in_16_bits_keeps_the_upper_8():
    gray = np.random.default_rng(5).integers(0, 65536, (5, 6), np.uint16)
    expected = np.repeat(gray[:, :, None] >> 8, 3, axis=2)
    np.testing.assert_array_equal(decode(encode(Image.fromarray(gray), "PNG")), expected)


def test_a_gif_smaller_than_its_screen_comes_out_without_the_rest():
    encoded = encode(PHOTO.convert("P"), "GIF")
    place = encoded.index(b",\0\0\0\0")
    moved = with_bytes(encoded, place + 1, struct.pack("<2H", 7, 9))
    on_screen = with_bytes(moved, 6, struct.pack("<2H", 100, 80))
    np.testing.assert_array_equal(decode(on_screen), by_pillow(encoded))


def test_a_jpeg_of_fewer_lines_than_its_header_states_is_filled_up():
    encoded = encode(PHOTO, "JPEG")
    size = encoded.index(b"\xff\xc0") + 5
    taller = decode(with_bytes(encoded, size, struct.pack(">H", 40)))
    assert taller.shape == (40, 31, 3)
    np.testing.assert_array_equal(taller[:16], decode(encoded)[:16])


# In a process of its own, whose memory is watched: TensorFlow writes four channels of an animation
# into room for three, unless it is asked for four.
def test_an_animated_webp_gives_its_first_picture_and_the_process_lives(tmp_path):
    paths = [tmp_path / "opaque.webp", tmp_path / "clear.webp"]
    for path, photo in zip(paths, (PHOTO, CLEAR), strict=True):
        path.write_bytes(encode(photo, "WEBP", lossless=True, **FRAMES))
    program = (
        "import sys, numpy as np, tensorflow as tf\n"
        "from graphmode.photo import decode_photo\n"
        "decode = tf.function(decode_photo)\n"
        "for path in sys.argv[1:] * 50:\n"
        "    np.save(path + '.npy', decode(tf.io.read_file(path)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *paths],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"MALLOC_CHECK_": "3", "MALLOC_PERTURB_": "165"},
    )
    assert done.returncode == 0, done.stderr
    for path in paths:
        np.testing.assert_array_equal(np.load(f"{path}.npy"), by_pillow(path.read_bytes()))
