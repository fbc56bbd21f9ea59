"""One small benchmark, by its command: what it prints and what it leaves."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

ROWS = ["eager Keras", "model.export", "fp32 variables"]


@pytest.fixture(scope="module")
def benchmark(run_dir, tmp_path_factory):
    """What the command printed, and the folder of its files."""
    results = tmp_path_factory.mktemp("results")
    flags = ["--run_dir", run_dir, "--results_dir", results, "--forms", "fp32"]
    flags += ["--cores", "all", "--rounds", "2", "--repeats", "2", "--fresh_loads", "1"]
    command = [sys.executable, "-m", "export", "bench", *map(str, flags)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout, results / "export"


@pytest.fixture(scope="module")
def facts(benchmark):
    return json.loads((benchmark[1] / "bench.json").read_text())


@pytest.fixture(scope="module")
def table(facts):
    (table,) = facts["tables"]
    return table


def test_every_model_has_a_row(table):
    assert table["cores"] == "all"
    assert [row["name"] for row in table["rows"]] == ROWS


def test_ratios_are_positive_and_lie_in_their_intervals(table):
    spreads = [
        spread for row in table["rows"] for name in ("latency_s", "times_eager")
        for spread in row[name].values()
    ]  # fmt: skip
    assert len(spreads) == 4 * len(ROWS)
    assert all(0 < one["low"] <= one["value"] <= one["high"] for one in spreads)
    assert table["rows"][0]["times_eager"]["8"] == {"value": 1, "low": 1, "high": 1}


def test_each_round_that_counts_is_kept(table):
    for row in table["rows"]:
        assert {images: len(medians) for images, medians in row["round_s"].items()} == {
            "1": 2,
            "8": 2,
        }


def test_agreement_is_with_eager_keras(table):
    differences = {row["name"]: row["largest_difference"] for row in table["rows"]}
    assert differences["eager Keras"] == 0
    assert differences["fp32 variables"] <= 1e-4
    labels = {row["name"]: row["same_label"] for row in table["rows"]}
    assert labels["model.export"] == labels["fp32 variables"] == 1


def test_fewer_photos_than_a_request_needs_are_used_again(table):
    assert table["compared_photos"] == 8


def test_a_model_takes_more_memory_than_nothing_and_requests_more_still(table):
    for row in table["rows"]:
        assert table["nothing_bytes"] < row["loaded_bytes"] < row["used_bytes"]


def test_the_disk_holds_the_weights_and_more(table, run_dir):
    disk = {row["name"]: row["disk_bytes"] for row in table["rows"]}
    assert disk["eager Keras"] == (run_dir / "model.keras").stat().st_size
    assert all(disk[name] > 4 * 7000 for name in ("model.export", "fp32 variables"))


def test_each_warmed_up_signature_is_proven(facts):
    assert [proof["signature"] for proof in facts["warmup"]] == ["serving_default", "image_bytes"]
    for proof in facts["warmup"]:
        assert proof["model"] == "fp32 variables"
        assert all(len(proof[name]) == 1 for name in ("cold_s", "warm_s", "replay_s"))
        assert all(proof[name][0] > 0 for name in ("cold_s", "warm_s", "replay_s"))


def test_conditions_on_what_was_not_measured_are_not_judged(facts):
    assert {condition["got"] for condition in facts["conditions"]} == {"not measured"}


def test_page_figure_and_last_line_say_what_was_measured(benchmark, facts):
    printed, folder = benchmark
    page = (folder / "bench.md").read_text()
    assert page in printed
    assert all(f"\n| {name} | " in page for name in [*ROWS, "nothing loaded"])
    assert json.loads(printed.splitlines()[-1])["asked"] == facts["conditions"]
    drawn = "".join(ET.parse(folder / "bench.svg").getroot().itertext())
    assert all(name in drawn for name in ROWS)
