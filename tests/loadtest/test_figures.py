import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from loadtest.answers import Answer
from loadtest.cores import Cores
from loadtest.figures import draw_figures
from loadtest.report import write_report
from loadtest.resources import Resource
from loadtest.run import Run
from loadtest.samples import Samples, measured_window
from loadtest.scenario import Scenario
from loadtest.summary import summarize

SCENARIO = Scenario(users=8, repeats=2, requests_per_run=1, warmup_s=0.5, min_s=1, max_s=2, seed=0)
MANIFEST = {
    "run_id": "20260101T000000Z",
    "git_commit": "0123456789abcdef",
    "machine": {"cpu": "<A> & co", "cores": 2, "memory_gb": 8, "flags": ["avx2"]},
    "versions": {"python": "3.11"},
    "cores": {"server": [1], "generator": [0]},
    "threads": {"baseline": 4},
    "scenario": {"users": 8, "repeats": 2},
    "photos": {"count": 2, "mean_bytes": 1000, "source": "drawn"},
    "memory_measure": "PSS",
    "method": "Exactly.",
}


def run(target, repeat, rate):
    """A run of two seconds of 8 users at a rate, made up."""
    ends = 100 + np.arange(1, 2 * rate + 1) / rate
    samples = Samples(
        start_s=ends - 8 / rate,
        latency_ms=np.full(len(ends), 8000 / rate),
        ok=np.ones(len(ends), dtype=bool),
        error=("",) * len(ends),
        size_bytes=np.full(len(ends), 50),
    )
    looks = [
        Resource(
            role=role,
            time_s=99 + i,
            pss_mb=400,
            rss_mb=500,
            uss_mb=300,
            cpu_s=i / 10,
            connections=8,
        )
        for i in range(4)
        for role in ("server", "generator")
    ]
    return Run(
        target=target,
        repeat=repeat,
        command=["server"],
        origin_s=99.0,
        cold_start_s=0.7,
        answers=[Answer((0.9, 0.1), "cat")],
        samples=samples,
        window=measured_window(samples, SCENARIO.warmup_s),
        resources=looks,
        metrics=None,
    )


@pytest.fixture
def runs(fake_target):
    targets = (fake_target("eager-rest"), 400), (fake_target("fp32-rest"), 800)
    return [run(target, repeat, rate) for target, rate in targets for repeat in (1, 2)]


@pytest.fixture
def summary(runs):
    return summarize(runs, "fp32-rest", SCENARIO, Cores((1,), (0,)), MANIFEST)


def test_a_run_that_meets_every_condition_is_valid(summary):
    assert [target.reasons for target in summary.targets] == [[], []]
    assert summary.headline.valid
    assert summary.headline.ratios["throughput"].value == pytest.approx(2.0, rel=0.01)


def test_a_target_that_fails_a_condition_taints_the_headline(runs):
    runs[2].samples.ok[5] = False
    summary = summarize(runs, "fp32-rest", SCENARIO, Cores((1,), (0,)), MANIFEST)
    assert not summary.headline.valid
    assert summary.headline.reasons[0].startswith("fp32-rest: 1 of")


def test_without_the_eager_model_there_is_no_reference(runs):
    summary = summarize(runs[2:], None, SCENARIO, Cores((1,), (0,)), MANIFEST)
    assert summary.headline is None
    assert summary.targets[0].reasons == ["answers not compared: eager-rest did not run"]


def test_each_figure_is_described_and_takes_the_colour_of_its_page(tmp_path, runs, summary):
    for drawing in draw_figures(tmp_path / "figures", runs, summary):
        element = ET.fromstring(drawing.svg)
        assert element.get("role") == "img"
        assert element.find("{*}title").text == drawing.words
        assert "currentColor" in drawing.svg
        assert "#010203" not in drawing.svg
        ET.parse(tmp_path / "figures" / f"{drawing.name}.svg")


def test_no_two_figures_of_a_page_share_an_id(tmp_path, runs, summary):
    page = "".join(drawing.svg for drawing in draw_figures(tmp_path / "figures", runs, summary))
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    used = set(re.findall(r"url\(#([^)]+)\)", page)) | set(re.findall(r'href="#([^"]+)"', page))
    assert used <= set(ids)


def test_the_same_runs_draw_the_same_figures(tmp_path, runs, summary):
    first = draw_figures(tmp_path / "first", runs, summary)
    assert first == draw_figures(tmp_path / "second", runs, summary)


def test_the_page_needs_no_other_file_and_escapes_what_it_is_told(tmp_path, runs, summary):
    write_report(tmp_path, summary, draw_figures(tmp_path / "figures", runs, summary))
    page = (tmp_path / "report.html").read_text()
    assert not re.findall(r'(?:src|href)="(?!#)', page.replace('xlink:href="#', ""))
    assert "&lt;A&gt; &amp; co" in page
    assert "INVALID" not in page.split("</style>")[1]
    assert "<A> & co" in (tmp_path / "report.md").read_text()
