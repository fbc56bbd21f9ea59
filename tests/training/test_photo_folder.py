"""Class folders are read as they are kept; what cannot be two classes is refused in a sentence."""

from collections import Counter

import pytest

from training.errors import TrainingError
from training.photo_folder import Photo, read_photo_folder, split_photos


def test_class_folders_without_a_split_are_all_for_training(photos_dir):
    found = read_photo_folder(photos_dir)
    assert found.labels == ("blue", "red")
    assert Counter(photo.label for photo in found.train) == {0: 11, 1: 11}
    assert found.validation == ()


def test_train_and_validation_folders_are_kept_apart(tmp_path, fill_classes):
    fill_classes(tmp_path / "train", 3)
    fill_classes(tmp_path / "validation", 2)
    found = read_photo_folder(tmp_path)
    assert (len(found.train), len(found.validation)) == (6, 4)
    assert {photo.path.parents[1].name for photo in found.validation} == {"validation"}


def test_a_train_folder_alone_is_split_later(tmp_path, fill_classes):
    fill_classes(tmp_path / "train", 3)
    found = read_photo_folder(tmp_path)
    assert (len(found.train), len(found.validation)) == (6, 0)


def test_hidden_files_and_the_desktops_own_are_no_photos(tmp_path, fill_classes):
    fill_classes(tmp_path, 2)
    for name in (".DS_Store", "Thumbs.db", ".hidden.jpg", "desktop.ini"):
        (tmp_path / "red" / name).write_bytes(b"x")
    (tmp_path / ".cache").mkdir()
    found = read_photo_folder(tmp_path)
    assert found.labels == ("blue", "red")
    assert len(found.train) == 4


def test_photos_deeper_in_a_class_folder_count(tmp_path, fill_classes, save_photo):
    fill_classes(tmp_path, 1)
    deeper = save_photo(tmp_path / "red" / "2024" / "a.jpg", 1)
    assert Photo(deeper, 1) in read_photo_folder(tmp_path).train


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(TrainingError, match="nowhere: no such folder"):
        read_photo_folder(tmp_path / "nowhere")


def test_a_file_is_refused(tmp_path, save_photo):
    path = save_photo(tmp_path / "a.jpg", 0)
    with pytest.raises(TrainingError, match=r"a\.jpg: a file"):
        read_photo_folder(path)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(TrainingError, match="no class folders in it"):
        read_photo_folder(tmp_path)


def test_one_class_is_refused_by_name(tmp_path, save_photo):
    save_photo(tmp_path / "cats" / "a.jpg", 0)
    with pytest.raises(TrainingError, match="only one class, 'cats'"):
        read_photo_folder(tmp_path)


def test_a_validation_folder_of_other_classes_is_refused(tmp_path, fill_classes):
    fill_classes(tmp_path / "train", 1)
    fill_classes(tmp_path / "validation", 1)
    (tmp_path / "validation" / "red").rename(tmp_path / "validation" / "green")
    with pytest.raises(TrainingError, match="blue, red, validation/ has blue, green"):
        read_photo_folder(tmp_path)


def test_a_split_takes_its_share_of_each_class_and_loses_none(photos_dir):
    photos = read_photo_folder(photos_dir).train
    train, validation = split_photos(photos, 0.2, seed=1)
    assert Counter(photo.label for photo in validation) == {0: 2, 1: 2}
    assert sorted([*train, *validation], key=photos.index) == list(photos)


def test_a_split_is_the_same_for_the_same_seed_only(photos_dir):
    photos = read_photo_folder(photos_dir).train
    assert split_photos(photos, 0.4, seed=1) == split_photos(photos, 0.4, seed=1)
    assert split_photos(photos, 0.4, seed=1) != split_photos(photos, 0.4, seed=2)


def test_a_split_does_not_depend_on_the_order_of_the_files(photos_dir):
    photos = read_photo_folder(photos_dir).train
    assert split_photos(photos[::-1], 0.4, seed=1) == split_photos(photos, 0.4, seed=1)


@pytest.mark.parametrize("seed", range(5))
def test_copies_go_to_the_same_part(seed, photos_dir):
    photos = read_photo_folder(photos_dir).train
    blue = [photo for photo in photos if photo.label == 0]
    copies = {blue[i].path: blue[0].path for i in (3, 7)} | {blue[5].path: blue[4].path}
    train, validation = split_photos(photos, 0.3, seed, copies)
    of_train, of_validation = (
        {copies.get(photo.path, photo.path) for photo in part} for part in (train, validation)
    )
    assert not of_train & of_validation
    assert sorted([*train, *validation], key=photos.index) == list(photos)
    # Three of eleven; three copies may come as one.
    assert 3 <= Counter(photo.label for photo in validation)[0] <= 5


def test_a_class_of_copies_alone_cannot_be_split(photos_dir):
    photos = read_photo_folder(photos_dir).train
    copies = {photo.path: photos[0].path for photo in photos[1:] if photo.label == 0}
    with pytest.raises(TrainingError, match="copies are not counted"):
        split_photos(photos, 0.2, 1, copies)


@pytest.mark.parametrize("fraction", [0.01, 0.99])
def test_a_split_leaves_a_photo_of_each_class_on_either_side(fraction, photos_dir):
    for part in split_photos(read_photo_folder(photos_dir).train, fraction, seed=1):
        assert {photo.label for photo in part} == {0, 1}


def test_a_class_of_one_photo_cannot_be_split(tmp_path, fill_classes):
    fill_classes(tmp_path, 1)
    with pytest.raises(TrainingError, match="the only photo of its class"):
        split_photos(read_photo_folder(tmp_path).train, 0.2, seed=1)
