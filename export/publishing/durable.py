"""Files that outlive a power cut: on the disk, not only in its cache, before they are shown."""

import os
from pathlib import Path


def sync_tree(folder: Path) -> None:
    """Puts every file and folder below `folder`, and itself, on the disk."""
    for path in folder.rglob("*"):
        sync(path)
    sync(folder)


def sync(path: Path) -> None:
    """Puts a file's bytes, or a folder's list of names, on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def move(source: Path, target: Path) -> None:
    """Renames, within one file system; done when both folders' lists are on the disk."""
    source.rename(target)
    sync(target.parent)
    sync(source.parent)


def replace_text(path: Path, text: str) -> None:
    """Writes a file as a whole: a reader sees the old text or the new one."""
    beside = path.with_name(f".{path.name}-new")
    beside.write_text(text, encoding="utf-8")
    sync(beside)
    beside.replace(path)
    sync(path.parent)
