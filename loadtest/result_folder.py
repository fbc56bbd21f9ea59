"""The folder of one result: hidden while it is made, renamed in when it is complete."""

import contextlib
import datetime as dt
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from loadtest.errors import LoadTestError


@dataclass(frozen=True)
class ResultFolder:
    """A result in the making.

    Attributes:
        run_id: Its name: the time in UTC.
        partial: Where it is written.
        final: Where it lies when it is complete.
    """

    run_id: str
    partial: Path
    final: Path


@contextlib.contextmanager
def new_result(results_dir: Path) -> Iterator[ResultFolder]:
    """Gives a folder to write to; publishes it, and points `latest` at it, if the block succeeds.

    If the block fails its logs are kept as `.failed` and the rest is removed.

    Raises:
        LoadTestError: The folder cannot be written.
    """
    run_id = dt.datetime.now(dt.UTC).strftime("%Y%m%dT%H%M%SZ")
    root = results_dir.resolve()
    folder = ResultFolder(run_id, root / f".{run_id}.partial", root / run_id)
    try:
        folder.partial.mkdir(parents=True)
    except OSError as error:
        raise LoadTestError(f"results_dir: cannot write to {results_dir}: {error}") from error
    try:
        yield folder
        folder.partial.rename(folder.final)
        _point_latest_at(folder.final)
    finally:
        if folder.partial.exists():
            _keep_logs(folder.partial, root / ".failed")


def _point_latest_at(final: Path) -> None:
    """Replaces the link in one step, so that a reader finds the old result or the new one."""
    link = final.with_name(".latest.new")
    link.unlink(missing_ok=True)
    link.symlink_to(final.name)
    link.replace(final.with_name("latest"))


def _keep_logs(partial: Path, kept: Path) -> None:
    shutil.rmtree(kept, ignore_errors=True)
    logs = partial / "logs"
    if logs.is_dir():
        logs.rename(kept)
    shutil.rmtree(partial, ignore_errors=True)
