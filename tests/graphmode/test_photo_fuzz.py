"""Mutated photos of every kind: each is decoded or an InvalidArgument, and the process lives.

`python tests/graphmode/test_photo_fuzz.py COUNT SEED [FOLDER]` tries more, and a folder's files.
"""

import io
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from PIL import Image

COUNT, SEED = 500, 1
MOST_BYTES = 200_000


def whole_photos(random):
    """Small photos as files, of every kind and form that Pillow writes."""
    pixels = random.integers(0, 256, (24, 33, 3), np.uint8)
    photo = Image.fromarray(pixels)
    smooth = photo.resize((99, 72))
    clear = photo.copy()
    clear.putalpha(90)
    frames = {"save_all": True, "append_images": [photo.rotate(90), photo.rotate(180)]}
    exif = Image.Exif()
    exif[0x0112] = 6
    ways = [
        (smooth, "JPEG", {"exif": exif}),
        (smooth, "JPEG", {"progressive": True}),
        (smooth.convert("CMYK"), "JPEG", {}),
        (smooth.convert("L"), "JPEG", {}),
        *((photo.convert(mode), "PNG", {}) for mode in ("1", "L", "LA", "P", "RGB")),
        (clear, "PNG", {}),
        *((photo.convert(mode), "BMP", {}) for mode in ("1", "L", "P", "RGB")),
        (clear, "BMP", {}),
        (photo.convert("P"), "GIF", {}),
        (photo.convert("P"), "GIF", {"interlace": 1, "transparency": 3}),
        (photo, "GIF", frames),
        *((one, "WEBP", {"lossless": lossless}) for one in (photo, clear) for lossless in (0, 1)),
        (photo, "WEBP", frames),
        (clear, "WEBP", frames | {"lossless": True}),
    ]
    for picture, kind, options in ways:
        encoded = io.BytesIO()
        picture.save(encoded, kind, **options)
        yield encoded.getvalue()


def mutated(photos, random):
    """One of the photos with bytes changed, most often near its beginning, cut, or spliced."""
    photo = bytearray(photos[random.integers(len(photos))])
    way = random.integers(5)
    if way == 0:
        return bytes(photo[: random.integers(len(photo) + 1)])
    if way == 1:
        other = photos[random.integers(len(photos))]
        return (
            bytes(photo[: random.integers(len(photo) + 1)]) + other[random.integers(len(other)) :]
        )
    reach = len(photo) if way == 2 else min(len(photo), 64)
    for _ in range(random.integers(1, 9)):
        photo[random.integers(reach)] = random.choice(
            [0, 1, 0x7F, 0x80, 0xFF, random.integers(256)]
        )
    return bytes(photo)


def try_all(count, seed, folder):
    """Decode `count` mutated photos; print how many came out and how many were refused, and why."""
    import tensorflow as tf  # noqa: PLC0415 - the test itself only waits for the child process

    from graphmode.photo import MOST_PIXELS, decode_photo  # noqa: PLC0415

    random = np.random.default_rng(seed)
    files = (
        [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()]
        if folder
        else []
    )
    photos = [*whole_photos(random), *(file for file in files if 0 < len(file) < MOST_BYTES)]
    decode = tf.function(decode_photo, input_signature=[tf.TensorSpec([], tf.string)])
    outcomes = Counter()
    last = Path(os.environ.get("LAST_PHOTO", os.devnull))
    for photo in (*photos, *(mutated(photos, random) for _ in range(count))):
        last.write_bytes(photo)
        try:
            height, width, _ = decode(photo).shape
        except tf.errors.InvalidArgumentError as error:
            outcomes["named" if "got " in error.message else "by the decoder"] += 1
            continue
        assert 0 < height * width <= MOST_PIXELS
        outcomes["decoded"] += 1
    print(dict(outcomes))


def test_mutated_photos_are_decoded_or_refused_and_the_process_lives():
    # The C library fills memory that is given and taken back, so that a stray write is noticed.
    environment = os.environ | {"MALLOC_CHECK_": "3", "MALLOC_PERTURB_": "165"}
    done = subprocess.run(
        [sys.executable, __file__, str(COUNT), str(SEED)],
        capture_output=True,
        text=True,
        check=False,
        env=environment | {"PYTHONPATH": os.pathsep.join(sys.path), "TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("{"), done.stdout


if __name__ == "__main__":
    try_all(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)
