import inspect
from pathlib import Path

import pytest

from graphmode.target import resolve
from graphmode.view.function_view import view_function

SUBJECTS = Path(__file__).with_name("subjects.py")


@pytest.fixture(scope="session")
def subject():
    """Gets one of the subjects by its name."""
    return lambda name: resolve(f"{SUBJECTS}:{name}")


@pytest.fixture
def view(subject):
    """Views one of the subjects."""

    def viewed(name, **options):
        outer, _, _ = name.rpartition(".")
        parent = subject(outer) if outer and inspect.isclass(subject(outer)) else None
        return view_function(subject(name), name, parent=parent, **options)

    return viewed


@pytest.fixture(scope="session")
def line_of():
    """The number of the only line of the subjects that holds a text."""

    def number(text):
        lines = SUBJECTS.read_text().splitlines()
        (found,) = [at for at, line in enumerate(lines, 1) if text in line]
        return found

    return number
