"""The whole comparison against the fake server, over real sockets, with tiny counts."""

import csv
import gzip
import json
from pathlib import Path

import jsonschema
import pytest

import loadtest
from loadtest.compare import compare
from loadtest.config import CompareConfig
from loadtest.errors import LoadTestError

SCHEMA = json.loads(Path(loadtest.__file__).with_name("summary.schema.json").read_text())


@pytest.fixture
def config(tmp_path):
    """A short comparison, with the run and the model that the targets ask for."""
    (tmp_path / "run" / "1").mkdir(parents=True)
    (tmp_path / "run" / "model.keras").touch()
    return CompareConfig(
        run_dir=tmp_path / "run",
        results_dir=tmp_path / "results",
        users=4,
        repeats=1,
        requests=40,
        warmup_s=0.3,
        min_seconds=0.8,
        max_seconds=5,
    )


def named(*targets):
    return {target.name: target for target in targets}


def test_a_comparison_leaves_a_complete_result(config, fake_target):
    targets = named(
        fake_target("eager-rest", "--service-ms=16"),
        fake_target("fp32-rest"),
        fake_target("fp32-grpc"),
    )
    folder, summary = compare(config, targets)

    written = json.loads((folder / "summary.json").read_text())
    jsonschema.validate(written, SCHEMA)
    assert [target["name"] for target in written["targets"]] == list(targets)
    assert (written["headline"]["baseline"], written["headline"]["candidate"]) == (
        "eager-rest",
        "fp32-rest",
    )
    assert written["headline"]["ratios"]["throughput"]["value"] > 1.5
    assert written["manifest"] == json.loads((folder / "manifest.json").read_text())

    for target in summary.targets:
        assert target.errors == 0
        assert target.n >= 40
        assert target.memory_pss_mb.steady > 1
        # Few requests are the one reason that must be there; connections and answers are right.
        assert any("too few for a P95" in reason for reason in target.reasons)
        assert not any("connections" in reason for reason in target.reasons)
        assert not any("photo" in reason for reason in target.reasons)
        # They wait at the same time: one at a time would make it one request in flight.
        assert target.throughput_rps * target.p50_ms / 1000 > 0.6 * config.users
    assert not summary.headline.valid

    with gzip.open(folder / "requests.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    measured = [row for row in rows if row["phase"] == "measured"]
    assert len(measured) == sum(target.n for target in summary.targets)

    assert (folder / "report.md").read_text().count("INVALID") >= 3
    page = (folder / "report.html").read_text()
    assert page.count("<svg") == len(list((folder / "figures").glob("*.svg"))) == 4
    assert "# target: fp32-grpc" in (folder / "server_metrics.prom").read_text()
    assert (config.results_dir / "latest").resolve() == folder
    assert not list(folder.glob("rows-*"))
    assert not (folder / "photos").exists()


def test_other_answers_make_a_target_invalid(config, fake_target):
    targets = named(fake_target("eager-rest"), fake_target("fp32-rest", "--skew=0.01"))
    _, summary = compare(config, targets)
    assert any("a probability differs by 0.01" in r for r in summary.targets[1].reasons)
    assert not any("probability" in r for r in summary.targets[0].reasons)


@pytest.mark.parametrize("flag", ["--failing-after=20", "--empty-after=20"])
def test_requests_without_a_prediction_are_errors_and_make_a_target_invalid(
    config, fake_target, flag
):
    _, summary = compare(config, named(fake_target("eager-rest", flag)))
    (target,) = summary.targets
    assert target.errors > 20
    assert f"{target.errors} of" in target.reasons[0]


def test_a_server_that_dies_ends_the_comparison_and_publishes_nothing(config, fake_target):
    targets = named(fake_target("eager-rest"), fake_target("fp32-rest", "--dying"))
    with pytest.raises(LoadTestError, match="fp32-rest, repeat 1: the server ended at its start"):
        compare(config, targets)
    assert not (config.results_dir / "latest").exists()
    assert (config.results_dir / ".failed" / "fp32-rest-1.log").read_text()


def test_a_server_without_predictions_is_refused_before_it_is_loaded(config, fake_target):
    with pytest.raises(LoadTestError, match="the answer over REST is no prediction"):
        compare(config, named(fake_target("fp32-rest", "--failing-after=0")))
