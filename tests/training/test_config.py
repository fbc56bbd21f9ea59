"""A setting out of bounds is refused by name, bound and value."""

import json
from pathlib import Path

import pytest

from training.config import TrainConfig
from training.errors import TrainingError


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("batch_size", -1, "batch_size must be at least 1, not -1"),
        ("average_decay", 1.0, "average_decay must be at least 0 and below 1, not 1.0"),
        ("image_size", 4096, "image_size must be at most 1024, not 4096"),
        ("seed", -1, "seed must be at least 0, not -1"),
        ("learning_rate", 0.0, "learning_rate must be above 0 and at most 10, not 0.0"),
        ("learning_rate", float("nan"), "learning_rate must be above 0 and at most 10, not nan"),
        ("validation_fraction", 1.0, "validation_fraction must be between 0 and 1, not 1.0"),
    ],
)
def test_a_value_out_of_bounds_is_refused_by_name(field, value, message):
    with pytest.raises(TrainingError) as refusal:
        TrainConfig(**{field: value})
    assert str(refusal.value) == message


def test_the_settings_fit_into_json():
    settings = TrainConfig(data="photos", run_dir=Path("runs/a")).as_json()
    assert json.loads(json.dumps(settings)) == settings
    assert settings["data"] == "photos"
