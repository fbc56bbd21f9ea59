import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from graphmode.graph.command import main

SUBJECTS = Path(__file__).with_name("subjects.py")


def test_the_counts_of_both_stages_are_printed(capsys):
    assert main([f"{SUBJECTS}:convolved"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"^Conv2D +1 +-$", printed, re.MULTILINE)
    assert re.search(r"^ +1 +\w+FusedConv2D +BiasAdd \+ Relu +float32", printed, re.MULTILINE)
    assert "2 variables, 896 bytes" in printed


def test_json_holds_every_fact(capsys, saved_model):
    assert main([str(saved_model), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["before"]["ops"]["Conv2D"] == 1
    assert facts["after"]["fused"][0]["fused_ops"] == ["BiasAdd", "Relu"]
    assert facts["after"]["devices"]["CPU:0"]
    assert facts["variables"][0]["shape"] == [3, 3, 3, 8]
    assert facts["inputs"] == {"image": "[1, 8, 8, 3]:float32"}


@pytest.mark.parametrize("name", ["convolved", "decoded"])
def test_the_page_needs_nothing_else_and_fits_a_phone(tmp_path, capsys, shown_in_browser, name):
    page = tmp_path / "page.html"
    assert main([f"{SUBJECTS}:{name}", "--html", str(page)]) == 0
    assert capsys.readouterr().out.strip() == str(page)
    text = page.read_text()
    assert re.findall(r"<(?:script|link|img|iframe)|\bsrc=|https?:|@import|url\(", text) == []
    shown = shown_in_browser(text, width=390)
    assert shown.console == []
    assert shown.content_width == 390


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "graph: nowhere: no such folder, and a function is named MODULE:FUNCTION"),
        ([f"{SUBJECTS}:added"], 'as --shape "[None,224,224,3]:float32"'),
        ([f"{SUBJECTS}:added", "--input", "a"], "--input 'a': expected NAME=FILE"),
        ([f"{SUBJECTS}:decoded", "--input", "photo=nowhere"], "--input photo=nowhere"),
        ([f"{SUBJECTS}:convolved", "--html", "/nowhere/page.html"], "--html /nowhere/page.html"),
    ],
)
def test_what_cannot_be_shown_is_one_line(capsys, arguments, said):
    assert main(arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def test_netron_that_is_not_installed_is_said_how_to_get(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "netron", None)
    assert main([f"{SUBJECTS}:convolved", "--json", "--netron"]) == 2
    assert "--netron needs the package netron: pip install" in capsys.readouterr().err


def test_netron_serves_the_optimised_graph_on_loopback_until_ctrl_c():
    pytest.importorskip("netron")
    with subprocess.Popen(
        [sys.executable, "-m", "graphmode", "graph", f"{SUBJECTS}:convolved", "--json", "--netron"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=SUBJECTS.parents[3],
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    ) as process:
        json.loads(process.stdout.readline())
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(address, timeout=60) as answer:
            page = answer.read().decode()
        assert "optimised.pb" in page
        (data,) = set(re.findall(r"data/[\w.%-]*optimised\.pb", page)) or {"data/optimised.pb"}
        with urllib.request.urlopen(f"{address}/{data}", timeout=60) as answer:
            assert b"FusedConv2D" in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
