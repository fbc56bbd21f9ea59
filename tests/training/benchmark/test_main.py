"""Both benchmarks, small: they run, and write a table, a page and a picture."""

import json
import xml.etree.ElementTree as ET

import pytest

from training.benchmark import preprocess_subjects as pre
from training.benchmark import train_subjects as train
from training.benchmark.__main__ import main


@pytest.fixture(scope="module")
def written(photos_dir, tmp_path_factory):
    def run(table, *flags):
        folder = tmp_path_factory.mktemp("results")
        flags = [table, "--data", str(photos_dir), "--results_dir", str(folder), *flags]
        assert main([*flags, "--rounds", "2"]) == 0
        return folder / table

    return run


def test_the_training_step(written, capsys):
    folder = written(
        "train", "--network", "tiny", "--sizes", "32", "--batch_size", "4", "--steps", "4"
    )
    facts = json.loads((folder / "bench.json").read_text())
    (table,) = facts["tables"]
    rows = {row["name"]: row for row in table["rows"]}
    assert list(rows) == [
        train.EAGER, train.GRAPH_DEFAULT, train.GRAPH_FIXED, train.XLA,
        train.FIT, train.FUSED, train.BF16, train.FUSED_BF16,
    ]  # fmt: skip
    assert all(row["low"] <= row["ratio"] <= row["high"] for row in rows.values())
    assert all(len(row["wall_s"]) == 2 for row in rows.values())
    traces = {name: row["traces"] for name, row in rows.items()}
    assert (traces[train.EAGER], traces[train.GRAPH_DEFAULT], traces[train.GRAPH_FIXED]) == (
        0,
        2,
        1,
    )
    assert 0 <= table["data_wait"] < 1
    assert table["conditions"][0]["measured"] == table["data_wait"]
    page = (folder / "bench.md").read_text()
    assert page.count("\n| ") == 9
    assert page in capsys.readouterr().out
    assert train.XLA in "".join(ET.parse(folder / "bench.svg").getroot().itertext())


def test_preprocessing(written):
    folder = written("preprocess", "--photos", "6")
    (table,) = json.loads((folder / "bench.json").read_text())["tables"]
    names = [row["name"] for row in table["rows"]]
    assert names[0] == pre.LOOP_EAGER
    assert {pre.PY_FUNCTION, pre.PARALLEL, pre.CACHED} < set(names)
    assert all(row["images_per_second"] > 0 for row in table["rows"])


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["train", "--rounds", "1"], "rounds must be at least 2, not 1"),
        (["train", "--sizes", "8"], "sizes must be 16 to 1024 pixels, not 8"),
        (["train", "--data", "nowhere"], "nowhere: no such folder"),
    ],
)
def test_what_the_user_can_mend_is_one_line(flags, message, capsys):
    assert main(flags) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"benchmark: {message}")
    assert error.count("\n") == 1
