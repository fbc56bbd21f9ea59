"""A file is replaced as a whole or not at all."""

import pytest

from training.atomic_file import replacing, write_text


def test_a_written_file_takes_its_place(tmp_path):
    write_text(tmp_path / "a.txt", "one")
    write_text(tmp_path / "a.txt", "two, naïve")
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "two, naïve"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_failed_write_leaves_the_old_file_alone(tmp_path):
    write_text(tmp_path / "a.txt", "one")
    with pytest.raises(UnicodeEncodeError):
        write_text(tmp_path / "a.txt", "half \ud800")
    assert (tmp_path / "a.txt").read_text() == "one"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_the_file_beside_keeps_the_suffix(tmp_path):
    with replacing(tmp_path / "model.keras") as beside:
        assert beside.suffix == ".keras"
        beside.touch()
