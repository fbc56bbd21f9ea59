"""Photos of the same bytes are found, whatever their names; a photo in both parts is a leak."""

import shutil

from training.duplicates import leaked, originals
from training.photo_folder import Photo


def photo_of(path, content, label=0):
    path.write_bytes(content)
    return Photo(path, label)


def test_only_files_of_the_same_bytes_are_copies(tmp_path):
    contents = {"a": b"xy", "b": b"xz", "c": b"xy", "d": b"xy", "e": b"xyz", "f": b"xz"}
    photos = [photo_of(tmp_path / name, content) for name, content in contents.items()]
    assert originals(reversed(photos)) == {
        tmp_path / "c": tmp_path / "a",
        tmp_path / "d": tmp_path / "a",
        tmp_path / "f": tmp_path / "b",
    }


def test_a_copy_in_another_class_is_a_leak_too(tmp_path):
    first = photo_of(tmp_path / "a", b"xy", 0)
    again = Photo(shutil.copy(first.path, tmp_path / "b"), 1)
    other = photo_of(tmp_path / "c", b"xz", 1)
    copies = originals([first, again, other])
    assert leaked([first, other], [again], copies) == ((again.path, first.path),)
    assert leaked([again], [first, other], copies) == ((first.path, again.path),)
    assert leaked([first, again], [other], copies) == ()
