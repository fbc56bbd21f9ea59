"""The drawn photos are a data folder like any other, drawn once."""

from collections import Counter

from training.generated import drawn_photos


def test_both_classes_are_drawn_for_training_and_validation(tmp_path):
    found = drawn_photos(tmp_path / "photos", seed=1)
    assert found.labels == ("cats", "dogs")
    assert Counter(photo.label for photo in found.train) == {0: 200, 1: 200}
    assert Counter(photo.label for photo in found.validation) == {0: 50, 1: 50}
    pictures = {photo.path.read_bytes() for photo in found.train + found.validation}
    assert len(pictures) == 500


def test_photos_once_drawn_are_kept(tmp_path):
    for label in ("cats", "dogs"):
        (tmp_path / "photos" / label).mkdir(parents=True)
        (tmp_path / "photos" / label / "mine.jpg").write_bytes(b"mine")
    found = drawn_photos(tmp_path / "photos", seed=1)
    assert {photo.path.name for photo in found.train} == {"mine.jpg"}
