"""`tfds:NAME` becomes class folders holding the dataset's own bytes; what cannot is a sentence."""

import io
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from PIL import Image

from training.errors import TrainingError
from training.tfds_photos import tfds_photos

REPOSITORY = Path(__file__).parents[2]


def photo(shade):
    encoded = io.BytesIO()
    Image.new("RGB", (8, 6), (shade * 9 % 256, shade, 10)).save(encoded, "JPEG")
    return encoded.getvalue()


@pytest.fixture(scope="module")
def tfds():
    return pytest.importorskip(
        "tensorflow_datasets", reason="the set requirements/tfds.txt is not installed"
    )


@pytest.fixture(scope="module")
def datasets(tfds):
    """Datasets known by name: shades, labelled_text, no_train, unreachable."""

    class Shades(tfds.core.GeneratorBasedBuilder):
        VERSION = tfds.core.Version("1.0.0")
        FEATURES = {  # noqa: RUF012
            "image": tfds.features.Image(shape=(None, None, 3), encoding_format="jpeg"),
            "label": tfds.features.ClassLabel(names=["dark", "a/b"]),
        }
        KEYS = ("image", "label")
        SPLITS = {"train": range(20)}  # noqa: RUF012

        def _info(self):
            return tfds.core.DatasetInfo(
                builder=self,
                features=tfds.features.FeaturesDict(self.FEATURES),
                supervised_keys=self.KEYS,
            )

        def _split_generators(self, dl_manager):
            del dl_manager
            return {name: self._generate_examples(shades) for name, shades in self.SPLITS.items()}

        def _generate_examples(self, shades):
            for shade in shades:
                label = -1 if shade > 200 else shade % 2
                yield shade, {"image": io.BytesIO(photo(shade)), "label": label}

    class ShadesWithTest(Shades):
        SPLITS = {"train": range(20), "test": [30, 31, 33, 250]}  # noqa: RUF012

    class NoTrain(Shades):
        SPLITS = {"test": range(4)}  # noqa: RUF012

    class LabelledText(Shades):
        FEATURES = {  # noqa: RUF012
            "text": tfds.features.Text(),
            "label": tfds.features.ClassLabel(num_classes=2),
        }
        KEYS = ("text", "label")

    class Unreachable(Shades):
        def _split_generators(self, dl_manager):
            del dl_manager
            raise ConnectionError("no way to the host\nmore of it")

    return Shades


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """Where tensorflow-datasets keeps what it prepared."""
    monkeypatch.setattr("tensorflow_datasets.core.constants.DATA_DIR", str(tmp_path / "cache"))


@pytest.fixture
def fetch(datasets, cache, tmp_path):
    del datasets, cache
    return lambda name: tfds_photos(f"tfds:{name}", tmp_path / "photos", 0.2, seed=1)


def names(photos):
    return [f"{one.path.parent.name}/{one.path.name}" for one in photos]


def test_photos_keep_their_bytes_and_classes(fetch, tmp_path):
    found = fetch("shades")
    assert found.labels == ("a_b", "dark")
    contents = {one.path.read_bytes(): one.label for one in found.train + found.validation}
    assert contents == {photo(shade): 1 - shade % 2 for shade in range(20)}
    assert not (tmp_path / ".part-photos").exists()


def test_without_a_validation_split_a_share_of_each_class_is_set_aside(fetch):
    found = fetch("shades:1.0.0")
    assert [one.label for one in found.validation] == [0, 0, 1, 1]
    assert len(found.train) == 16


def test_a_test_split_is_for_validation_without_what_has_no_class(fetch):
    found = fetch("shades_with_test")
    assert len(found.train) == 20
    assert {one.path.read_bytes() for one in found.validation} == {photo(n) for n in (30, 31, 33)}


def test_what_was_written_is_read_again_without_tensorflow_datasets(fetch, monkeypatch):
    found = fetch("shades")
    monkeypatch.setitem(sys.modules, "tensorflow_datasets", None)
    assert fetch("shades") == found


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("no_such_dataset", "not a dataset of tensorflow-datasets .*: .*no_such_dataset not found"),
        ("shades:9.9.9", "not a dataset of tensorflow-datasets .*9.9.9, only: 1.0.0"),
        ("", "not a dataset of tensorflow-datasets"),
        ("labelled_text", r"expected supervised keys for an Image.*got \('text', 'label'\)"),
        ("no_train", "has no train split to train on, but test"),
        ("unreachable", r"is there a network\?\): ConnectionError: no way to the host$"),
    ],
)
def test_what_cannot_be_had_is_refused_in_a_sentence(name, sentence, fetch, tmp_path):
    with pytest.raises(TrainingError, match=f"^tfds:{name}: .*{sentence}"):
        fetch(name)
    assert not (tmp_path / "photos").exists()


def test_nothing_is_told_on_stdout(fetch, capsys):
    fetch("shades")
    assert capsys.readouterr().out == ""


def test_without_the_package_the_command_to_install_it_is_named(tmp_path):
    (tmp_path / "tensorflow_datasets.py").write_text("raise ImportError('not installed')\n")
    program = """
        from pathlib import Path
        from training.errors import TrainingError
        from training.tfds_photos import tfds_photos
        try: tfds_photos("tfds:cats_vs_dogs", Path("photos"), 0.2, 1)
        except TrainingError as error: print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{REPOSITORY}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == (
        "tfds:cats_vs_dogs: needs tensorflow-datasets (not installed); install it with "
        "'pip install -r requirements/tfds.txt', or name a folder\n"
    )
