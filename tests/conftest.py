"""What the tests of every stage may ask for."""

import os
from pathlib import Path

import pytest

from graphmode.pytest_plugin import trace_budget  # noqa: F401 - the fixture

# Keras 3.15 writes and reads `.keras` files through an `__array__` without NumPy 2's `copy`.
_KERAS_ARRAY = "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"

REPOSITORY = Path(__file__).resolve().parents[1]


def pytest_configure(config: pytest.Config) -> None:
    """Let pass the one warning that is not ours to mend."""
    config.addinivalue_line("filterwarnings", _KERAS_ARRAY)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of photos that are not part of the repository: GRAPHSERVE_DATA or ../shared/data."""
    folder = Path(os.environ.get("GRAPHSERVE_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no photos in {folder}; GRAPHSERVE_DATA names another folder")
    return folder
