"""A JPEG stands upright as Pillow turns it, wherever its EXIF says so; a bad EXIF says nothing."""

import io
import struct

import numpy as np
import pytest
import tensorflow as tf
from PIL import Image, ImageOps

from graphmode.orientation import exif_of_jpeg, orientation_of_exif
from graphmode.photo import decode_photo

RAMP = np.stack([*np.meshgrid(range(0, 240, 10), range(0, 160, 10)), np.full((16, 24), 60)], -1)
PHOTO = Image.fromarray(RAMP.astype(np.uint8))

MAKE, ORIENTATION, WIDTH = 0x010F, 0x0112, 0x0100
APP0 = b"\xff\xe0\x00\x10JFIF\0\1\1\0\0\1\0\1\0\0"


def tiff(entries, order="<", gap=0, count=None):
    """EXIF's body: the entries (tag, value), each one 16-bit number."""
    packed = b"".join(struct.pack(f"{order}HHIHH", tag, 3, 1, n, 0) for tag, n in entries)
    mark = {"<": b"II*\0", ">": b"MM\0*"}[order]
    count = len(entries) if count is None else count
    return (
        mark
        + struct.pack(f"{order}I", 8 + gap)
        + bytes(gap)
        + struct.pack(f"{order}H", count)
        + packed
        + bytes(4)
    )


def app1(body):
    return b"\xff\xe1" + struct.pack(">H", len(body) + 8) + b"Exif\0\0" + body


def jpeg(*segments):
    """PHOTO as a JPEG, with these segments alone before its tables."""
    encoded = io.BytesIO()
    PHOTO.save(encoded, "JPEG", quality=95)
    plain = encoded.getvalue()
    assert plain.startswith(b"\xff\xd8" + APP0[:4])
    return plain[:2] + b"".join(segments) + plain[20:]


def upright(encoded):
    """TensorFlow's pixels, turned by Pillow as Pillow reads the EXIF."""
    with Image.open(io.BytesIO(encoded)) as opened:
        orientation = opened.getexif().get(ORIENTATION, 1)
    photo = Image.fromarray(tf.io.decode_jpeg(encoded, channels=3).numpy())
    photo.getexif()[ORIENTATION] = orientation
    return np.asarray(ImageOps.exif_transpose(photo))


def orientation_of(encoded):
    return int(orientation_of_exif(exif_of_jpeg(tf.constant(encoded))))


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("order", ["<", ">"])
def test_every_orientation_comes_out_as_pillow_turns_it(orientation, order):
    entries = [(WIDTH, 24), (MAKE, 0x1201), (ORIENTATION, orientation), (0x0213, 1)]
    encoded = jpeg(APP0, app1(tiff(entries, order)))
    expected = upright(encoded)
    assert expected.shape == ((16, 24, 3) if orientation < 5 else (24, 16, 3))
    np.testing.assert_array_equal(decode_photo(tf.constant(encoded)), expected)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_what_pillow_writes_is_read(orientation):
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    exif[MAKE] = "a camera"
    encoded = io.BytesIO()
    PHOTO.save(encoded, "JPEG", exif=exif, quality=95)
    np.testing.assert_array_equal(
        decode_photo(tf.constant(encoded.getvalue())), upright(encoded.getvalue())
    )


SIX = [(ORIENTATION, 6)]
BEFORE = {
    "nothing": [],
    "JFIF": [APP0],
    "a long colour profile": [APP0, b"\xff\xe2\x9c\x42" + b"ICC_PROFILE" + bytes(39989)],
    "a comment that speaks of Exif": [b"\xff\xfe\x00\x08Exif\0\xff"],
}


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("gap", [0, 2, 255])
def test_other_segments_and_a_gap_may_come_first(before, gap):
    encoded = jpeg(*BEFORE[before], app1(tiff(SIX, gap=gap)))
    np.testing.assert_array_equal(decode_photo(tf.constant(encoded)), upright(encoded))
    assert orientation_of(encoded) == 6


def test_the_picture_of_a_thumbnail_does_not_end_the_search():
    encoded = jpeg(app1(tiff(SIX) + b"\xff\xd8" + b"\xff\xda" * 3 + bytes(50)))
    assert orientation_of(encoded) == 6


NO_ORIENTATION = {
    "no exif": jpeg(APP0),
    "no such entry": jpeg(app1(tiff([(WIDTH, 6)]))),
    "of the thumbnail only": jpeg(app1(tiff([(WIDTH, 24)]) + tiff(SIX)[8:])),
    "not at an entry's place": jpeg(
        app1(tiff([(WIDTH, 1)]).replace(b"\0\0\0\0", b"\0") + tiff(SIX))
    ),
    "none of the eight": jpeg(app1(tiff([(ORIENTATION, 9)]))),
    "zero": jpeg(app1(tiff([(ORIENTATION, 0)]))),
    "no entries": jpeg(app1(tiff(SIX, count=0))),
    "neither byte order": jpeg(app1(b"XX" + tiff(SIX)[2:])),
    "offset beyond the end": jpeg(app1(b"II*\0\xf0\xff\xff\x7f" + tiff(SIX)[8:])),
    "offset of all bits": jpeg(app1(b"II*\0\xff\xff\xff\xff" + tiff(SIX)[8:])),
    "of a photo appended": jpeg(APP0) + jpeg(app1(tiff(SIX))),
    "in another segment": jpeg(b"\xff\xe4" + app1(tiff(SIX))[2:]),
    "in a png": b"\x89PNG\r\n\x1a\n" + app1(tiff(SIX)),
    "empty": b"",
    "exif without a body": b"\xff\xd8\xff\xe1\x00\x08Exif\0\0",
    "exif alone": b"Exif\0\0",
}


@pytest.mark.parametrize("kind", NO_ORIENTATION)
def test_an_exif_that_makes_no_sense_states_no_orientation(kind):
    assert orientation_of(NO_ORIENTATION[kind]) == 0


def test_too_many_entries_announced_are_those_that_are_there():
    assert orientation_of(jpeg(app1(tiff(SIX, count=65535)))) == 6


@pytest.mark.parametrize("order", ["<", ">"])
def test_an_exif_cut_or_spoilt_anywhere_is_no_error(order):
    encoded = jpeg(app1(tiff([(WIDTH, 24), *SIX], order)))
    for place in range(80):
        assert orientation_of(encoded[:place]) in {0, 6}
        for byte in (0, 0x7F, 0xFF):
            spoilt = encoded[:place] + bytes([byte]) + encoded[place + 1 :]
            assert orientation_of(spoilt) in {0, 6}


def test_eager_graph_map_and_session_turn_alike():
    batch = [jpeg(app1(tiff([(ORIENTATION, n)]))) for n in (1, 3, 6)]
    expected = [np.asarray(decode_photo(tf.constant(encoded)))[0, 0] for encoded in batch]
    in_map = tf.map_fn(
        lambda encoded: decode_photo(encoded)[0, 0],
        tf.constant(batch),
        fn_output_signature=tf.uint8,
    )
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        encoded = tf.compat.v1.placeholder(tf.string, [])
        pixel = decode_photo(encoded)[0, 0]
        in_session = [session.run(pixel, {encoded: one}) for one in batch]
    assert len({tuple(pixel) for pixel in expected}) == 3
    np.testing.assert_array_equal(in_map, expected)
    np.testing.assert_array_equal(in_session, expected)


@pytest.mark.parametrize(
    "name",
    [
        "synthetic/exif_orientation6.jpg",
        "real_pillow/hopper_orientation_6.jpg",
        "real_cats_dogs/uppercase_ext_exif_dog_1.JPG",
    ],
)
def test_real_photos_stand_upright(name, shared_data):
    encoded = (shared_data / "awkward_files" / name).read_bytes()
    np.testing.assert_array_equal(decode_photo(tf.constant(encoded)), upright(encoded))
