import pytest

from loadtest.errors import LoadTestError
from loadtest.result_folder import new_result


def test_a_complete_result_is_renamed_in_and_latest_points_at_it(tmp_path):
    with new_result(tmp_path) as folder:
        (folder.partial / "report.md").write_text("done")
        assert not (tmp_path / "latest").exists()
    assert (tmp_path / "latest" / "report.md").read_text() == "done"
    assert (tmp_path / "latest").resolve() == folder.final
    assert not folder.partial.exists()


def test_latest_moves_from_an_older_result(tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "latest").symlink_to("old")
    with new_result(tmp_path) as folder:
        pass
    assert (tmp_path / "latest").resolve() == folder.final


def test_a_broken_result_is_not_published_and_leaves_its_logs(tmp_path):
    result = new_result(tmp_path)
    folder = result.__enter__()
    (folder.partial / "logs").mkdir()
    (folder.partial / "logs" / "server.log").write_text("last words")
    interrupt = KeyboardInterrupt()
    assert not result.__exit__(type(interrupt), interrupt, None)
    assert not folder.partial.exists()
    assert not folder.final.exists()
    assert not (tmp_path / "latest").exists()
    assert (tmp_path / ".failed" / "server.log").read_text() == "last words"


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    result = new_result(tmp_path / "file")
    with pytest.raises(LoadTestError, match="results_dir: cannot write to"):
        result.__enter__()
