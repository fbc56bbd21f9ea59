import json
import subprocess
import sys
from pathlib import Path

import pytest

from graphmode.lint.checking import TITLES
from graphmode.lint.command import main

ROOT = Path(__file__).parents[3]
FAULTY = "import tensorflow as tf\n@tf.function\ndef step(x):\n    print(x)\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "faulty.py").write_text(FAULTY)
    (tmp_path / "fine.py").write_text("x = 1\n")
    return tmp_path


def codes(output: str) -> list[str]:
    return [line.split()[1] for line in output.splitlines() if not line.startswith(" ")]


def test_findings_are_exit_code_1(folder, capsys):
    assert main([str(folder)]) == 1
    out, err = capsys.readouterr()
    assert codes(out) == ["GM101"]
    assert err == "findings: 1; graph functions: 1; files: 2\n"


def test_nothing_found_is_exit_code_0(folder, capsys):
    assert main([str(folder / "fine.py")]) == 0
    assert capsys.readouterr().out == ""


def test_a_missing_path_is_exit_code_2(folder, capsys):
    assert main([str(folder), str(folder / "gone.py")]) == 2
    assert "gone.py: no such file or folder" in capsys.readouterr().err


def test_a_file_that_cannot_be_opened_is_exit_code_2(folder, capsys):
    (folder / "dangling.py").symlink_to(folder / "gone")
    assert main([str(folder)]) == 2
    assert "dangling.py: cannot be read: No such file or directory" in capsys.readouterr().err


def test_no_path_is_exit_code_2(capsys):
    assert main([]) == 2
    assert "name files or folders" in capsys.readouterr().err


def test_a_syntax_error_stops_nothing(folder, capsys):
    (folder / "broken.py").write_text("def (:\n")
    (folder / "null.py").write_text("x = '\0'\n")
    (folder / "bytes.py").write_bytes(b"x = '\xff'\n")
    (folder / "coding.py").write_text("# coding: never-heard-of\n")
    assert main([str(folder)]) == 1
    assert codes(capsys.readouterr().out) == ["GM900", "GM900", "GM900", "GM101", "GM900"]


def test_an_expression_nested_too_deeply_stops_nothing(folder, capsys):
    (folder / "deep.py").write_text("x = " + "-" * 5000 + "1\n")
    (folder / "long.py").write_text(FAULTY + "    return " + "x + " * 1500 + "x\n")
    assert main([str(folder)]) == 1
    assert codes(capsys.readouterr().out) == ["GM900", "GM101", "GM900"]


def test_select_and_ignore_take_codes_and_their_beginnings(folder, capsys):
    assert main([str(folder), "--select", "GM2,GM101"]) == 1
    assert main([str(folder), "--select", "GM2"]) == 0
    assert main([str(folder), "--ignore", "GM1"]) == 0
    capsys.readouterr()
    assert main([str(folder), "--select", "ALL"]) == 1
    assert codes(capsys.readouterr().out) == ["GM601", "GM101"]


@pytest.mark.parametrize("flag", ["--select", "--ignore"])
def test_an_unknown_code_is_exit_code_2(flag, folder, capsys):
    assert main([str(folder), flag, "XY1"]) == 2
    assert f"{flag} XY1: no rule's code begins so" in capsys.readouterr().err


def test_excluded_paths_are_left_out(folder, capsys):
    assert main([str(folder), "--exclude", str(folder / "faulty.py")]) == 0
    assert capsys.readouterr().err == "findings: 0; graph functions: 0; files: 1\n"


def test_hidden_folders_and_caches_are_left_out(folder):
    for name in (".venv", "__pycache__"):
        (folder / "sub" / name).mkdir(parents=True)
        (folder / "sub" / name / "faulty.py").write_text(FAULTY)
    (folder / "faulty.py").unlink()
    assert main([str(folder)]) == 0


def test_explain_prints_the_page(capsys):
    assert main(["--explain", "gm203"]) == 0
    page = capsys.readouterr().out.removesuffix("\n")
    assert page == (ROOT / "docs/lint/GM203.md").read_text()


def test_explain_of_an_unknown_code_is_exit_code_2(capsys):
    assert main(["--explain", "GM999"]) == 2
    assert "no rule 'GM999'; there are GM101, GM102" in capsys.readouterr().err


def test_it_runs_as_a_module_without_tensorflow(folder):
    program = (
        "import sys; from graphmode.__main__ import main; "
        f"code = main(['lint', {str(folder)!r}, '--output', 'json']); "
        "sys.exit(code + 10 * ('tensorflow' in sys.modules or 'numpy' in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert [finding["code"] for finding in json.loads(done.stdout)["findings"]] == ["GM101"]


def test_the_pre_commit_hook_runs_this_command():
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text()
    assert "entry: python -m graphmode lint\n" in hook
    assert "types: [python]\n" in hook


def test_every_code_is_gm_and_three_digits():
    assert all(len(code) == 5 and code[:2] == "GM" and code[2:].isdigit() for code in TITLES)
