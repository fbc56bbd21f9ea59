import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, flags=re.MULTILINE))


def test_every_make_word_of_the_readme_is_a_target():
    lines = re.findall(r"(?:^|`)make ((?:[a-z-]+ ?)+)", README, flags=re.MULTILINE)
    words = {word for line in lines for word in line.split()}
    assert {"compare", "test", "train", "export", "serve"} <= words
    assert words <= TARGETS


def test_make_help_lists_every_word():
    listed = subprocess.run(
        ["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert {word for word in TARGETS - {"exported"} if f"  {word} " not in listed} == set()


def test_make_serve_without_a_model_says_what_to_do():
    done = subprocess.run(
        ["make", "serve", "MODEL=never-exported"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "no version of never-exported in models/never-exported: run 'make train export'" in (
        done.stderr
    )


@pytest.mark.parametrize("name", ["base", "dev", "gpu", "tfds", "torch", "view"])
def test_every_requirement_is_pinned_with_hashes(name):
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    entries = re.split(r"\n(?=\S)", text)
    pinned = [entry for entry in entries if entry and not entry.startswith("#")]
    assert len(pinned) >= 15
    assert [entry for entry in pinned if "==" not in entry or "--hash=sha256:" not in entry] == []


def test_no_package_index_is_named():
    files = [*(ROOT / "requirements").iterdir(), ROOT / "pyproject.toml"]
    assert [file.name for file in files if "://" in file.read_text()] == []


def test_every_folder_of_the_map_is_there():
    folders = re.findall(r"^\| `(\w+)/` \|", README, flags=re.MULTILINE)
    assert len(folders) > 6
    assert [folder for folder in folders if not (ROOT / folder).is_dir()] == []
