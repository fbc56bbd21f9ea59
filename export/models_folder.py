"""The models folder: written beside, renamed in; nobody ever sees half a version.

models/.export.lock              held by the one export that writes
models/.resnet18-partial-XXXX/   work in progress; what a killed export left is removed
models/resnet18/3/               whole, the moment it is there
"""

import fcntl
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from export.errors import ExportError
from export.forms import Form

RECORD_FILE = "export.json"


@contextmanager
def workspace(models_dir: Path, model_name: str) -> Iterator[Path]:
    """A hidden folder in `models_dir` for half-written versions, removed at the end.

    Raises:
        ExportError: the folder cannot be written, or another export is writing there.
    """
    try:
        models_dir.mkdir(parents=True, exist_ok=True)
        lock = (models_dir / ".export.lock").open("w")
    except OSError as error:
        raise ExportError(
            f"models_dir {models_dir} cannot be written ({error.strerror}): "
            "choose another with --models_dir, or change its permissions"
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ExportError(f"another export is writing to {models_dir}: wait for it") from error
        prefix = f".{model_name}-partial-"
        for leftover in models_dir.glob(f"{prefix}*"):
            shutil.rmtree(leftover)
        with tempfile.TemporaryDirectory(prefix=prefix, dir=models_dir) as folder:
            yield Path(folder)


def publish(written: Path, form: Form) -> Path:
    """Renames a finished SavedModel to the form's next free version; returns where it is.

    Raises:
        ExportError: the form's folder cannot be made or written.
    """
    target = form.folder / str(max(form.versions(), default=0) + 1)
    try:
        form.folder.mkdir(exist_ok=True)
        written.rename(target)
    except OSError as error:
        raise ExportError(
            f"{target} cannot be written ({error.strerror}): change the permissions of "
            f"{form.folder}, or choose another folder with --models_dir"
        ) from error
    _refusal_file(form).unlink(missing_ok=True)
    return target


def is_current(form: Form, digest: str) -> bool:
    """Whether the newest version, or the gates' last refusal, is of this very digest."""
    return digest in {_digest_in(_refusal_file(form)), _newest_digest(form)}


def remember_refusal(form: Form, digest: str, why: str) -> None:
    """Keeps why the gates refused a form, so that the next export need not try it again."""
    record = {"digest": digest, "refused": why}
    _refusal_file(form).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def refusal(form: Form, digest: str) -> str:
    """Why the gates refused the form made of `digest`; empty where they did not."""
    record = _read_record(_refusal_file(form))
    return str(record.get("refused", "")) if record.get("digest") == digest else ""


def _newest_digest(form: Form) -> str | None:
    newest = form.newest()
    return _digest_in(newest / RECORD_FILE) if newest else None


def _digest_in(file: Path) -> str | None:
    return _read_record(file).get("digest")


def _read_record(file: Path) -> dict[str, Any]:
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _refusal_file(form: Form) -> Path:
    return form.models_dir / f".{form.model}-refused.json"
