"""Says that a label moved."""

from export.publishing.model_labels import STABLE


def say_moved(model: str, before: int | None, now: int) -> None:
    """A line for a person, which a script can read as well."""
    if before == now:
        print(f"{model}: {STABLE} is version {now} already")
    else:
        print(f"{model}: {STABLE} was version {before or 'none'}, is version {now}")
