"""One writer at a time, for the moment that it takes to publish, label or remove."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from export.errors import ExportError

LOCK_FILE = ".export.lock"
_DEADLINE_S = 60
_AGAIN_S = 0.05


@contextmanager
def folder_lock(models_dir: Path) -> Iterator[None]:
    """Holds the models folder.

    Raises:
        ExportError: the folder cannot be written, or another holds it for a minute.
    """
    try:
        models_dir.mkdir(parents=True, exist_ok=True)
        file = (models_dir / LOCK_FILE).open("w")
    except OSError as error:
        raise ExportError(
            f"models_dir {models_dir} cannot be written ({error.strerror}): "
            "choose another with --models_dir, or change its permissions"
        ) from error
    with file:
        deadline_s = time.monotonic() + _DEADLINE_S
        # The system can wait for a lock, but not until a deadline.
        while not try_lock(file):
            if time.monotonic() > deadline_s:
                raise ExportError(
                    f"another export has held {models_dir / LOCK_FILE} for {_DEADLINE_S} s: "
                    "see whether it hangs"
                )
            time.sleep(_AGAIN_S)
        yield


def try_lock(file: IO[str]) -> bool:
    """Locks an open file until it is closed; False where another process has."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
