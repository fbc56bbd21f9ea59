"""A measured process that goes wrong is named, with what it said last."""

import pytest

from export.benchmark.child import Child, child_environment
from export.benchmark.written import Subject
from export.errors import ExportError


def subject(kind, path):
    return Subject(name=f"the {kind} row", kind=kind, path=path, disk_bytes=0)


def test_a_subject_that_dies_is_named_with_the_last_line_of_its_stderr(tmp_path):
    with (
        Child(subject("session", tmp_path / "gone"), "all") as child,
        pytest.raises(
            ExportError,
            match=r"the session row: its process ended at 'load' with exit status 1: "
            r"OSError: SavedModel file does not exist",
        ),
    ):
        child.ask("load")


def test_only_sessions_keep_reordered_weights():
    flag = "TF_ONEDNN_ASSUME_FROZEN_WEIGHTS"
    assert child_environment("session", "all")[flag] == "1"
    assert child_environment("eager", "all")[flag] == "0"


def test_one_core_is_one_thread():
    assert child_environment("session", "1")["TF_NUM_INTRAOP_THREADS"] == "1"
    assert child_environment("session", "1")["TF_NUM_INTEROP_THREADS"] == "1"
