"""Sets of names, written as text."""


def words(text: str) -> frozenset[str]:
    """The words of a text; short for a set with a quoted name a line."""
    return frozenset(text.split())
