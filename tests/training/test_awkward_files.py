"""A folder of every awkward kind of file: each is used, as Pillow shows it, or skipped, and why."""

import io
import shutil
import warnings

import numpy as np
import pytest
import tensorflow as tf
from PIL import Image, ImageOps

from graphmode.photo import decode_photo
from training.decodable import sort_out
from training.photo_folder import read_photo_folder

CUT_SHORT = "a JPEG cut short"
NO_PHOTO = "none of these"
SKIPPED = {
    "truncated_jpeg.jpg": CUT_SHORT,
    "ultrahdr.jpg": CUT_SHORT,
    "no_eoi.jpg": CUT_SHORT,
    "truncated_50pct.jpg": CUT_SHORT,
    "truncated_header.jpg": CUT_SHORT,
    "empty.jpg": "an empty file",
    "html_named.jpg": NO_PHOTO,
}
PASSED_OVER = {".DS_Store", "Thumbs.db"}
LOSSLESS = {"PNG", "BMP", "GIF", "WEBP"}
TURNED = {"exif_orientation6.jpg", "hopper_orientation_6.jpg"}


@pytest.fixture(scope="module")
def folder(shared_data, tmp_path_factory):
    """The files without their table, in class folders as the user's are."""
    folder = tmp_path_factory.mktemp("awkward")
    for source in (shared_data / "awkward_files").iterdir():
        if source.is_dir():
            shutil.copytree(source, folder / source.name)
    return folder


@pytest.fixture(scope="module")
def sorted_out(folder):
    return sort_out(read_photo_folder(folder).train)


def as_pillow_shows_it(path):
    """Give the file's kind and its pixels, upright."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Image appears to be a malformed MPO file")
        with Image.open(io.BytesIO(path.read_bytes())) as photo:
            return photo.format, np.asarray(ImageOps.exif_transpose(photo).convert("RGB"), int)


def test_every_file_is_used_or_skipped_or_passed_over(folder, sorted_out):
    used, skipped = sorted_out
    names = {photo.path.name for photo in used}
    assert {one.photo.path.name for one in skipped} == set(SKIPPED)
    assert names | set(SKIPPED) | PASSED_OVER == {
        path.name for path in folder.rglob("*") if path.is_file()
    }
    assert not names & PASSED_OVER


def test_skipped_files_say_why(sorted_out):
    for one in sorted_out[1]:
        assert SKIPPED[one.photo.path.name] in one.reason


def test_used_files_look_as_pillow_shows_them(sorted_out):
    kinds = set()
    for photo in sorted_out[0]:
        kind, expected = as_pillow_shows_it(photo.path)
        kinds.add(kind)
        decoded = np.asarray(decode_photo(tf.constant(photo.path.read_bytes())), int)
        assert decoded.shape == expected.shape, photo.path
        difference = np.abs(decoded - expected)
        if kind in LOSSLESS:
            assert difference.max() == 0, photo.path
        else:
            # TensorFlow decodes a JPEG faster and a little coarser: at edges of strong colour, of
            # which CMYK has some, single pixels differ by up to 41.
            assert difference.mean() < 2.5, photo.path
            assert np.quantile(difference, 0.999) < 25, photo.path
    assert kinds == LOSSLESS | {"JPEG"}


def test_photos_on_their_side_are_turned(sorted_out):
    turned = [photo.path for photo in sorted_out[0] if photo.path.name in TURNED]
    assert len(turned) == len(TURNED)
    for path in turned:
        lying = np.asarray(Image.open(path).convert("RGB"), int)
        decoded = np.asarray(decode_photo(tf.constant(path.read_bytes())), int)
        assert np.abs(np.rot90(lying, -1) - decoded).mean() < 2.5
