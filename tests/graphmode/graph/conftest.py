import io
from pathlib import Path

import pytest
import tensorflow as tf
from PIL import Image

from graphmode.target import resolve

SUBJECTS = Path(__file__).with_name("subjects.py")


@pytest.fixture(scope="session")
def subject():
    """Gets one of the subjects by its name."""
    return lambda name: resolve(f"{SUBJECTS}:{name}")


@pytest.fixture(scope="session")
def saved_model(subject, tmp_path_factory):
    """A small SavedModel with two signatures."""
    folder = tmp_path_factory.mktemp("saved") / "1"
    model = subject("classifier")
    tf.saved_model.save(
        model, str(folder), signatures={"serving_default": model.classify, "size": model.size}
    )
    return folder


@pytest.fixture(scope="session")
def photo(tmp_path_factory):
    """A PNG of four by two pixels."""
    encoded = io.BytesIO()
    Image.new("RGB", (4, 2)).save(encoded, "PNG")
    file = tmp_path_factory.mktemp("photo") / "photo.png"
    file.write_bytes(encoded.getvalue())
    return file
