"""A few dozen small real photos, and settings that train `tiny` on them in a second."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from PIL import Image

from training.config import PRESETS


def save_photo(path, label, seed=0, size=(40, 30)):
    """Save a noisy photo, bluish for class 0, reddish for class 1."""
    colour = np.array([(60, 90, 190), (190, 90, 60)][label])
    noise = np.random.default_rng([seed, label]).normal(0, 30, (size[1], size[0], 3))
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray((colour + noise).clip(0, 255).astype(np.uint8)).save(path)
    return path


def fill_classes(folder, count):
    """Save `count` photos in each of the class folders blue and red."""
    for label, name in enumerate(("blue", "red")):
        for number in range(count):
            save_photo(folder / name / f"{number:02d}.jpg", label, seed=number)
    return folder


@pytest.fixture(scope="session", name="save_photo")
def _save_photo():
    return save_photo


@pytest.fixture(scope="session", name="fill_classes")
def _fill_classes():
    return fill_classes


@pytest.fixture(scope="session")
def photos_dir(tmp_path_factory):
    """Two classes of 11 photos, without a split."""
    return fill_classes(tmp_path_factory.mktemp("photos"), 11)


@pytest.fixture
def tiny_config(photos_dir, tmp_path):
    """Make a TrainConfig for `tiny`; keywords change it."""
    return partial(
        replace,
        PRESETS["quick"],
        data=str(photos_dir),
        run_dir=tmp_path / "run",
        network="tiny",
        course=("32x2",),
        precision="float32",
        batch_size=8,
        image_size=32,
    )
