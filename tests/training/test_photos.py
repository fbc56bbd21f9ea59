"""What cannot be decoded is left out, counted and named; each class must have photos left."""

import os
import shutil
from collections import Counter

import pytest

from training.decodable import sort_out
from training.errors import TrainingError
from training.photo_folder import Photo, read_photo_folder
from training.photos import skipped_table, sort_photos


def spoil(folder, name, content=b"no photo"):
    path = folder / name
    path.write_bytes(content)
    return path


def test_skipped_files_keep_their_reason(tmp_path, fill_classes):
    fill_classes(tmp_path, 1)
    whole = tmp_path / "red" / "00.jpg"
    cut = spoil(tmp_path, "cut.jpg", whole.read_bytes()[:-200])
    empty = spoil(tmp_path, "empty.jpg", b"")
    missing = tmp_path / "missing.jpg"
    sound, skipped = sort_out([Photo(path, 0) for path in (cut, whole, empty, missing)])
    assert [photo.path for photo in sound] == [whole]
    assert [one.photo.path for one in skipped] == [cut, empty, missing]
    assert skipped[0].reason.endswith("a JPEG cut short")
    assert skipped[1].reason.endswith("an empty file")
    assert skipped[2].reason == "No such file or directory"


def test_skipped_files_are_counted_and_the_first_are_named(tmp_path, tiny_config, fill_classes):
    fill_classes(tmp_path, 3)
    for number in range(7):
        spoil(tmp_path / "blue", f"bad{number}.jpg")
    said = []
    photos, skipped = sort_photos(read_photo_folder(tmp_path), tiny_config(), said.append)
    assert len(skipped) == 7
    assert said.pop(0) == "looking through 13 files"
    assert said[0] == "7 files are skipped, for they cannot be decoded:"
    assert "bad4.jpg: expected a JPEG, PNG, BMP, GIF or WebP" in said[5]
    assert said[6] == "  and 2 more"
    assert said[7] == "4 photos to train on, 2 to validate on, classes: blue, red"
    assert all("bad" not in photo.path.name for photo in photos.train + photos.validation)


def test_a_class_without_a_usable_photo_is_refused_by_name(tmp_path, tiny_config, fill_classes):
    fill_classes(tmp_path, 2)
    shutil.rmtree(tmp_path / "red")
    (tmp_path / "red").mkdir()
    spoil(tmp_path / "red", "bad.jpg")
    with pytest.raises(TrainingError, match=r"'red' has no photo to train on \(1 of its files"):
        sort_photos(read_photo_folder(tmp_path), tiny_config(), print)


def test_a_class_without_a_validation_photo_is_refused_by_name(tmp_path, tiny_config, fill_classes):
    fill_classes(tmp_path / "train", 2)
    fill_classes(tmp_path / "validation", 1)
    spoil(tmp_path / "validation" / "blue", "00.jpg")
    with pytest.raises(TrainingError, match="'blue' has no photo in validation/"):
        sort_photos(read_photo_folder(tmp_path), tiny_config(), print)


def test_the_table_of_skipped_files_has_a_line_a_file(tmp_path):
    odd = spoil(tmp_path, "a\tb\nc.jpg")
    latin = tmp_path / os.fsdecode(b"\xe9.jpg")
    _, skipped = sort_out([Photo(odd, 0), Photo(latin, 1)])
    heading, first, second = skipped_table(skipped).splitlines()
    assert heading == "path\treason"
    assert first.startswith(f"{tmp_path}/a\\tb\\nc.jpg\texpected a JPEG, PNG, BMP, GIF or WebP")
    assert second == f"{tmp_path}/\\udce9.jpg\tNo such file or directory"


def test_a_photo_in_both_parts_is_warned_of(tmp_path, tiny_config, fill_classes):
    fill_classes(tmp_path / "train", 3)
    fill_classes(tmp_path / "validation", 3)
    said = []
    sort_photos(read_photo_folder(tmp_path), tiny_config(), said.append)
    assert said[1].startswith("warning: 6 of the photos to validate on are trained on, too")
    assert said[2] == f"  {tmp_path}/validation/blue/00.jpg is {tmp_path}/train/blue/00.jpg"
    assert said[7] == "  and 1 more"


def test_copies_are_split_without_a_leak(tmp_path, tiny_config, fill_classes):
    fill_classes(tmp_path, 8)
    for number in range(8):
        shutil.copy(tmp_path / "red" / f"{number:02d}.jpg", tmp_path / "red" / f"copy{number}.jpg")
    said = []
    photos, skipped = sort_photos(
        read_photo_folder(tmp_path), tiny_config(validation_fraction=0.5), said.append
    )
    assert (len(photos.train), len(photos.validation), skipped) == (12, 12, ())
    assert len(said) == 2
    for part in (photos.train, photos.validation):
        contents = Counter(photo.path.read_bytes() for photo in part if photo.label == 1)
        assert set(contents.values()) == {2}
