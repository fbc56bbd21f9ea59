"""The version folders of a model."""

from pathlib import Path

from export.errors import ExportError


def version_numbers(folder: Path) -> list[int]:
    """Published versions, oldest first; as TensorFlow Serving reads names, `007` is 7."""
    if not folder.is_dir():
        return []
    names = (entry.name for entry in folder.iterdir() if entry.is_dir())
    return sorted(int(name) for name in names if name.isascii() and name.isdecimal())


def version_folder(folder: Path, number: int) -> Path:
    """Where a version is, whatever zeros its name begins with."""
    return next(
        entry
        for entry in folder.iterdir()
        if entry.name.isascii() and entry.name.isdecimal() and int(entry.name) == number
    )


def models_in(models_dir: Path, only: str | None) -> list[str]:
    """The models that have versions, or the one that is asked for.

    Raises:
        ExportError: there is none, or not that one.
    """
    if not models_dir.is_dir():
        raise ExportError(f"models_dir {models_dir} does not exist: export first, or name another")
    found = sorted(
        entry.name
        for entry in models_dir.iterdir()
        if not entry.name.startswith(".") and version_numbers(entry)
    )
    if only is not None and only not in found:
        raise ExportError(
            f"no model {only!r} in {models_dir}; there is {', '.join(found) or 'none'}"
        )
    if not found:
        raise ExportError(f"no model in {models_dir} has a version: export first, or name another")
    return [only] if only else found
