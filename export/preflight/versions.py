"""Which version folder a server would load."""

from pathlib import Path

from export.errors import ExportError
from export.guard.saved_model_file import GRAPH_FILES
from export.preflight.finding import Finding, fails, ok, warning

NAME = "version folder"


def versions_under(base_path: Path) -> dict[int, Path]:
    """The versions that TensorFlow Serving finds: folders named by a number (`007` is 7)."""
    if not base_path.is_dir():
        return {}
    return {
        int(entry.name): entry
        for entry in base_path.iterdir()
        if entry.name.isascii() and entry.name.isdigit() and entry.is_dir()
    }


def locate(given: Path) -> tuple[Path | None, Finding]:
    """The version folder to check, None where a server would find none.

    Args:
        given: a version's folder, or a model's folder with versions in it.

    Raises:
        ExportError: there is no such folder.
    """
    if not given.is_dir():
        raise ExportError(f"{given}: expected a folder with a SavedModel or its versions, got none")
    if _holds_graph(given):
        return given, _version(given)
    versions = versions_under(given)
    if versions:
        newest = versions[max(versions)]
        found = (
            f"{newest} is the newest of {len(versions)} versions, which TensorFlow Serving loads."
        )
        return newest, ok(NAME, found)
    return None, _none(given)


def _version(folder: Path) -> Finding:
    if folder.absolute().name.isdigit():
        return ok(NAME, f"{folder} is a version's folder.")
    return warning(
        NAME,
        f"{folder} holds a SavedModel but is not named by a number, so no server finds it.",
        "Move it to MODEL/1 and give the server MODEL as its base path.",
    )


def _none(given: Path) -> Finding:
    inner = sorted(
        entry.name for entry in given.iterdir() if entry.is_dir() and _holds_graph(entry)
    )
    rename = f": rename {inner[0]}, which holds a SavedModel" if inner else ""
    return fails(
        NAME,
        f"No versions found under base path {given}.",
        f"Name the leaf folder as a number, as {given / '1'}{rename}.",
    )


def _holds_graph(folder: Path) -> bool:
    return any((folder / name).is_file() for name in GRAPH_FILES)
