"""What is no photo, or too large a one, is refused before it is decoded, with a sentence."""

import io
import re
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest
import tensorflow as tf
from PIL import Image

from graphmode.photo import decode_photo, photos_to_images
from graphmode.photo_header import MOST_PIXELS

InvalidArgumentError = tf.errors.InvalidArgumentError
PHOTO = Image.fromarray(np.random.default_rng(6).integers(0, 256, (20, 31, 3), np.uint8))


def encode(image_format, photo=PHOTO, **options):
    encoded = io.BytesIO()
    photo.save(encoded, image_format, **options)
    return encoded.getvalue()


def with_bytes(encoded, at, new):
    return encoded[:at] + new + encoded[at + len(new) :]


def png_of_size(width, height):
    """A PNG that is right but for its pixels."""
    start = b"IHDR" + struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    encoded = encode("PNG")
    return with_bytes(encoded, 12, start + struct.pack(">I", zlib.crc32(start)))


def jpeg_of_size(width, height):
    encoded = encode("JPEG")
    return with_bytes(encoded, encoded.index(b"\xff\xc0") + 5, struct.pack(">2H", height, width))


def gif_of_size(width, height):
    encoded = encode("GIF", PHOTO.convert("P"))
    return with_bytes(encoded, encoded.index(b",\0\0\0\0") + 5, struct.pack("<2H", width, height))


def webp_of_size(width, height, **options):
    encoded = encode("WEBP", **options)
    if encoded[12:16] == b"VP8X":
        sizes = struct.pack("<I", width - 1)[:3] + struct.pack("<I", height - 1)[:3]
        return with_bytes(encoded, 24, sizes)
    if encoded[12:16] == b"VP8L":
        return with_bytes(encoded, 21, struct.pack("<I", (height - 1) << 14 | (width - 1)))
    return with_bytes(encoded, 26, struct.pack("<2H", width, height))


ANIMATED = {"save_all": True, "append_images": [PHOTO.rotate(180)]}
TOO_LARGE = {
    "a PNG of 60000 x 60000": png_of_size(60000, 60000),
    "a PNG of 8192 x 8193": png_of_size(8192, 8193),
    "a PNG of 0 x 9": png_of_size(0, 9),
    "a PNG of -1 x -1": png_of_size(2**32 - 1, 2**32 - 1),
    "a JPEG of 65500 x 65500": jpeg_of_size(65500, 65500),
    "a BMP of 2147483647 x 2147483647": with_bytes(
        encode("BMP"), 18, struct.pack("<2i", 2**31 - 1, 2**31 - 1)
    ),
    "a BMP of 31 x 0": with_bytes(encode("BMP"), 22, struct.pack("<i", 0)),
    "a GIF of 65535 x 65535": gif_of_size(65535, 65535),
    "a GIF of 31 x 0": gif_of_size(31, 0),
    "a WebP of 16383 x 16383": webp_of_size(16383, 16383),
    "a WebP of 16384 x 16384": webp_of_size(16384, 16384, lossless=True),
    "a WebP of 70000 x 1000": webp_of_size(70000, 1000, **ANIMATED),
}
FLAWED = {
    "got 0 bytes, an empty file": b"",
    "got 6 bytes, none of these": b"<html>",
    "got 7 bytes, none of these": b"RIFF1234"[:7],
    "base64 text, which is to be decoded first": b"/9j/4AAQSkZJRgABAQ",
    "none of these": b"\0\0\0\x0cJXL \r\n\x87\n" + bytes(40),
    "a PNG without a header": b"\x89PNG\r\n\x1a\n" + bytes(30),
    "a BMP of another form than 8, 24 or 32 bits a pixel": encode("BMP", PHOTO.convert("1")),
    "a BMP that is packed": with_bytes(encode("BMP"), 30, struct.pack("<i", 1)),
    "a GIF without a picture": b"GIF89a" + bytes(7) + b";",
}
CUT_SHORT = {
    "JPEG": encode("JPEG"),
    "PNG": encode("PNG"),
    "BMP": encode("BMP"),
    "GIF": encode("GIF", PHOTO.convert("P"))[:-1],
    "WebP": encode("WEBP"),
}


def refusal(encoded):
    """What `decode_photo` says of a file, after what it expected."""
    with pytest.raises(InvalidArgumentError) as refused:
        decode_photo(tf.constant(encoded))
    expected = f"expected a JPEG, PNG, BMP, GIF or WebP of 1 to {MOST_PIXELS} pixels, "
    return re.findall(rf"{expected}(.*?)]", refused.value.message)[0]


@pytest.mark.parametrize("what", TOO_LARGE)
def test_a_photo_of_too_many_or_no_pixels_is_refused_with_its_size(what):
    encoded = TOO_LARGE[what]
    assert refusal(encoded) == f"got {len(encoded)} bytes, {what} pixels"


@pytest.mark.parametrize("what", FLAWED)
def test_what_is_no_photo_is_refused_with_what_it_is(what):
    assert refusal(FLAWED[what]).endswith(what)


@pytest.mark.parametrize("kind", CUT_SHORT)
def test_a_photo_cut_anywhere_behind_its_first_bytes_is_said_to_be_cut_short(kind):
    encoded = CUT_SHORT[kind]
    for end in (*range(40, len(encoded), 97), len(encoded) - 1):
        assert refusal(encoded[:end]) in {
            f"got {end} bytes, a {kind} cut short",
            f"got {end} bytes, a GIF without a picture",
        }


def test_a_thumbnail_is_no_picture_of_a_jpeg_cut_short():
    exif = Image.Exif()
    exif[0x927C] = encode("JPEG")
    encoded = encode("JPEG", exif=exif)
    assert refusal(encoded[:-9]).endswith("a JPEG cut short")


def test_a_jpeg_with_a_film_behind_it_is_whole():
    encoded = encode("JPEG") + b"\xff\xd8\xff\xe1film\xff\xda"
    assert decode_photo(tf.constant(encoded)).shape == (20, 31, 3)


def test_what_only_the_decoder_finds_is_an_invalid_argument():
    encoded = encode("PNG")
    rotten = with_bytes(encoded, len(encoded) // 2, b"rotten")
    with pytest.raises(InvalidArgumentError, match="Invalid PNG data"):
        decode_photo(tf.constant(rotten))


def test_a_photo_in_a_batch_is_named_in_a_session_too():
    good = encode("PNG")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        photos = tf.compat.v1.placeholder(tf.string, [None])
        images = photos_to_images(photos, 8)
        assert session.run(images, {photos: [good] * 3}).shape == (3, 8, 8, 3)
        assert session.run(images, {photos: []}).shape == (0, 8, 8, 3)
        with pytest.raises(InvalidArgumentError, match=r"photo 1 of the batch: .* a PNG of 0 x 9"):
            session.run(images, {photos: [good, png_of_size(0, 9), good]})


def test_neither_huge_photos_nor_many_pictures_take_memory(tmp_path):
    pictures = [Image.new("P", (2000, 2000), shade) for shade in range(30)]
    many = encode("GIF", pictures[0], save_all=True, append_images=pictures[1:])
    photos = [encode("PNG"), *TOO_LARGE.values(), many]
    paths = [tmp_path / str(number) for number in range(len(photos))]
    for path, encoded in zip(paths, photos, strict=True):
        path.write_bytes(encoded)
    program = (
        "import resource, sys, tensorflow as tf\n"
        "from graphmode.photo import decode_photo\n"
        "decode = tf.function(decode_photo)\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024\n"
        "decode(tf.io.read_file(sys.argv[1]))\n"
        "before = peak()\n"
        "for path in sys.argv[1:]:\n"
        "    try: decode(tf.io.read_file(path))\n"
        "    except tf.errors.InvalidArgumentError: pass\n"
        "print(peak() - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *paths], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 60, "MB"
