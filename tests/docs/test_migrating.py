"""docs/migrating.md is true: its code runs, its commands print what it says.

A block of Python that begins with `# NAME.py` is that file; the others run in order, as one
program. A console block holds commands, each with parts of lines that it prints, in order, and its
exit code.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "migrating.md"
BLOCKS = re.findall(r"^```(python|console)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
FILES = {
    match[1]: code
    for kind, code in BLOCKS
    if kind == "python" and (match := re.match(r"# (\w+\.py)\n", code))
}
COMMANDS = [
    command
    for kind, code in BLOCKS
    if kind == "console"
    for command in re.findall(r"^\$ .*?^exit code \d$", code, re.MULTILINE | re.DOTALL)
]
PROGRAM = "\n".join(
    code for kind, code in BLOCKS if kind == "python" and code not in FILES.values()
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("migrating")
    for name, code in FILES.items():
        # The comment names the file on the page; line numbers are counted without it.
        (folder / name).write_text(code.split("\n", 1)[1])
    return folder


def run(folder, *arguments):
    environment = os.environ | {
        "PYTHONPATH": str(REPOSITORY),
        "COLUMNS": "200",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_page_has_what_is_tested_here():
    assert set(FILES) == {"naive.py", "steps.py"}
    assert len(COMMANDS) >= 7
    assert PROGRAM.count("trace_budget(") >= 2


def test_the_program_runs(folder):
    (folder / "page.py").write_text(PROGRAM)
    done = run(folder, "page.py")
    assert done.returncode == 0, done.stderr
    assert "graph over eager: " in done.stdout


@pytest.mark.parametrize("block", COMMANDS, ids=lambda block: block.splitlines()[0])
def test_a_command_prints_what_the_page_says(block, folder):
    command, *expected, code = block.splitlines()
    words = re.findall(r'"[^"]*"|\S+', command)
    assert words[:2] == ["$", "python"]
    done = run(folder, *(word.strip('"') for word in words[2:]))
    assert code == f"exit code {done.returncode}", done.stderr
    printed = done.stdout
    for part in expected:
        assert part in printed, done.stdout
        printed = printed[printed.index(part) + len(part) :]


def test_every_claim_and_page_that_is_named_exists():
    text = PAGE.read_text()
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (PAGE.parent / target).exists(), target
    numbers = [
        int(n)
        for said in re.findall(r"claims? ([\d, and to]+)", text)
        for n in re.findall(r"\d+", said)
    ]
    assert numbers
    assert all(1 <= number <= 74 for number in numbers)
