import io

import pytest
from PIL import Image

from loadtest.errors import LoadTestError
from loadtest.photos import digest_of, draw_photos, read_photos


def jpeg(color):
    file = io.BytesIO()
    Image.new("RGB", (8, 8), color).save(file, "JPEG")
    return file.getvalue()


def test_photos_are_found_in_sub_folders_whatever_the_case_of_their_suffix(tmp_path):
    (tmp_path / "cat").mkdir()
    (tmp_path / "cat" / "a.jpg").write_bytes(jpeg("red"))
    (tmp_path / "b.JPEG").write_bytes(jpeg("blue"))
    assert len(read_photos(tmp_path)) == 2


def test_what_is_no_jpeg_is_left_out(tmp_path):
    (tmp_path / "a.jpg").write_bytes(jpeg("red"))
    (tmp_path / "cut.jpg").write_bytes(draw_photos(0, count=1)[0][:900])
    (tmp_path / "text.jpg").write_text("hello")
    (tmp_path / "readme.txt").write_text("hello")
    assert read_photos(tmp_path) == [jpeg("red")]


def test_the_photos_are_spread_over_the_folder(tmp_path):
    for number in range(20):
        (tmp_path / f"{number:02}.jpg").write_bytes(jpeg((number * 10, 0, 0)))
    assert read_photos(tmp_path, limit=2) == [jpeg((0, 0, 0)), jpeg((100, 0, 0))]


def test_a_folder_that_is_missing_or_without_photos_is_named(tmp_path):
    with pytest.raises(LoadTestError, match=r"no folder .*nowhere"):
        read_photos(tmp_path / "nowhere")
    with pytest.raises(LoadTestError, match=f"no JPEG photo under {tmp_path}"):
        read_photos(tmp_path)


def test_a_seed_draws_the_same_photos_and_another_seed_draws_others():
    assert digest_of(draw_photos(1, count=2)) == digest_of(draw_photos(1, count=2))
    assert digest_of(draw_photos(1, count=2)) != digest_of(draw_photos(2, count=2))


def test_a_drawn_photo_is_a_jpeg_of_a_photos_size():
    with Image.open(io.BytesIO(draw_photos(0, count=1)[0])) as image:
        assert (image.format, image.size) == ("JPEG", (500, 375))
