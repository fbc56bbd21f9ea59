"""The command line."""

import io
import json
import subprocess
import sys

import pytest
from rich.console import Console

from export.preflight.checking import CHECKS
from export.preflight.command import main
from export.preflight.finding import warning
from export.preflight.report import Report, SignatureListing, TensorListing
from export.preflight.report_text import print_report


@pytest.fixture
def cut_model(tmp_path):
    """A model whose one version is cut, so that nothing of it is run."""
    folder = tmp_path / "cut" / "1"
    folder.mkdir(parents=True)
    (folder / "saved_model.pb").write_bytes(b"\x08\x01\x12")
    return folder.parent


def test_a_folder_that_does_not_exist_is_a_usage_error(check, tmp_path):
    result = check(tmp_path / "none")
    assert result.status == 2
    assert "expected a folder" in result.stderr
    assert result.report["findings"] == []


def test_files_that_do_not_exist_are_usage_errors(check, cut_model):
    for flag in ("--config", "--batching"):
        result = check(cut_model, f"{flag}=/none")
        assert result.status == 2
        assert f"{flag} /none: expected a file" in result.stderr


@pytest.mark.parametrize("arguments", [[], ["model", "--nope"], ["model", "--fuzz_requests=-1"]])
def test_wrong_flags_are_usage_errors(arguments, capsys):
    try:
        status = main(arguments)
    except SystemExit as end:
        status = end.code
    assert status == 2
    assert capsys.readouterr().out == ""


def test_every_check_has_a_finding_in_order(check, cut_model):
    result = check(cut_model)
    assert tuple(result.verdicts) == CHECKS
    assert result.failing == ["graph file"]


def test_piped_it_prints_a_plain_line_for_each_check(cut_model, capsys):
    assert main([str(cut_model)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(CHECKS) + 1
    assert lines[1].startswith("FAILS          graph file: ")
    assert lines[-1] == f"{cut_model / '1'}: 1 check fails: graph file"


def test_it_is_a_command_of_export(cut_model):
    command = [sys.executable, "-m", "export", "check", str(cut_model)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 1, process.stderr
    assert process.stdout.endswith("1 check fails: graph file\n")


def test_a_report_lists_signatures_whether_piped_or_not():
    sides = {
        "inputs": {"x": TensorListing(dtype="float32", shape=(None, 2))},
        "outputs": {"y": TensorListing(dtype="string", shape=None)},
    }
    report = Report(
        saved_model="net/1",
        signatures={"serve": SignatureListing(method="predict", **sides)},
        findings=(warning("xla", "Found [this].", "Do that."),),
    )
    piped, shown = io.StringIO(), io.StringIO()
    print_report(report, Console(file=piped))
    print_report(report, Console(file=shown, force_terminal=True, width=100, color_system=None))
    assert piped.getvalue().splitlines() == [
        "serve (predict) in x: float32 [?,2]",
        "serve (predict) out y: string of any shape",
        "warning        xla: Found [this]. Do that.",
        "net/1: nothing would fail",
    ]
    for words in ("float32 [?,2]", "Found [this].", "Do that.", "nothing would fail"):
        assert words in shown.getvalue()


def test_json_is_all_of_stdout(cut_model, capsys):
    assert main([str(cut_model), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert set(report) == {"saved_model", "signatures", "findings", "failing"}
    assert set(report["findings"][0]) == {"name", "verdict", "found", "advice"}
