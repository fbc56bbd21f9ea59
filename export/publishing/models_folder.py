"""Writing a version beside, and renaming it in: nobody ever sees half of one."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from export.errors import ExportError
from export.forms import Form
from export.publishing.durable import move, replace_text, sync_tree
from export.publishing.folder_lock import folder_lock, try_lock
from export.publishing.model_labels import label_newest

RECORD_FILE = "export.json"
_OWNED = "lock"


@contextmanager
def workspace(models_dir: Path, model_name: str) -> Iterator[Path]:
    """A hidden folder in `models_dir` for half-written versions, removed at the end.

    What killed exports left there is removed, too; of one that lives, nothing.

    Raises:
        ExportError: the folder cannot be written.
    """
    with ExitStack() as stack:
        with folder_lock(models_dir):
            _remove_left(models_dir)
            folder = Path(tempfile.mkdtemp(prefix=f".{model_name}-partial-", dir=models_dir))
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            try_lock(stack.enter_context((folder / _OWNED).open("w")))
        yield folder


def publish(written: Path, form: Form, number: int | None = None) -> Path:
    """Renames a finished SavedModel to a version of the form; returns where it is.

    Args:
        written: on the file system of the models.
        form: whose version it becomes.
        number: of the version; None for the next one.

    Raises:
        ExportError: the number is not above every version's, or the form's folder cannot be
            written.
    """
    with folder_lock(form.models_dir):
        newest = max(form.versions(), default=0)
        # Servers load what has the highest number, and know a number they have seen for the same.
        if number is not None and number <= newest:
            raise ExportError(
                f"version {number} of {form.model}: {form.newest()} is there, and a version's "
                f"number is never used twice; expected one above {newest}"
            )
        target = form.folder / str(number or newest + 1)
        try:
            form.folder.mkdir(exist_ok=True)
            sync_tree(written)
            move(written, target)
            label_newest(form.models_dir, form.model)
            _refusal_file(form).unlink(missing_ok=True)
        except OSError as error:
            raise ExportError(
                f"{target} cannot be written ({error.strerror}): change the permissions of "
                f"{form.folder}, or choose another folder with --models_dir"
            ) from error
    return target


def is_current(form: Form, digest: str) -> bool:
    """Whether the newest version, or the gates' last refusal, is of this very digest."""
    return digest in {_digest_in(_refusal_file(form)), _newest_digest(form)}


def remember_refusal(form: Form, digest: str, why: str) -> None:
    """Keeps why the gates refused a form, so that the next export need not try it again."""
    record = {"digest": digest, "refused": why}
    replace_text(_refusal_file(form), json.dumps(record, indent=2) + "\n")


def refusal(form: Form, digest: str) -> str:
    """Why the gates refused the form made of `digest`; empty where they did not."""
    record = read_record(_refusal_file(form))
    return str(record.get("refused", "")) if record.get("digest") == digest else ""


def read_record(file: Path) -> dict[str, Any]:
    """A JSON object; empty where there is none that can be read."""
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _remove_left(models_dir: Path) -> None:
    """Under the folder's lock: whoever makes a workspace holds it until it has its own."""
    for left in (*models_dir.glob(".*-partial-*"), *models_dir.glob(".*-pruned-*")):
        try:
            file = (left / _OWNED).open("w")
        except FileNotFoundError:
            shutil.rmtree(left, ignore_errors=True)
            continue
        with file:
            if try_lock(file):
                shutil.rmtree(left, ignore_errors=True)


def _newest_digest(form: Form) -> str | None:
    newest = form.newest()
    return _digest_in(newest / RECORD_FILE) if newest else None


def _digest_in(file: Path) -> str | None:
    return read_record(file).get("digest")


def _refusal_file(form: Form) -> Path:
    return form.models_dir / f".{form.model}-refused.json"
