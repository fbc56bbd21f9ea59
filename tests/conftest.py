"""What the tests of every stage may ask for."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of photos that are not part of the repository: GRAPHSERVE_DATA or ../shared/data."""
    folder = Path(os.environ.get("GRAPHSERVE_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no photos in {folder}; GRAPHSERVE_DATA names another folder")
    return folder
