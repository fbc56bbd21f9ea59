"""Files that are whole or not there: written beside, flushed to disk, renamed in."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a path beside `path` to write to; when the block ends well, it takes `path`'s place.

    The name beside keeps the suffix, which tells Keras the format.
    """
    beside = path.with_name(f".part-{path.name}")
    try:
        yield beside
        with beside.open("rb+") as written:
            os.fsync(written.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text as a whole."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")
