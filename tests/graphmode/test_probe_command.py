"""The command's exit code says whether a trace froze something."""

import json

import pytest

from graphmode.probe_command import main

SOURCE = """
import tensorflow as tf
RATE = 0.5
@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def frozen(x):
    return x * RATE
def sound(x):
    return 2.0 * x
"""


@pytest.mark.parametrize(
    ("flags", "code"), [(["frozen"], 1), (["sound", "--shape", "[3]:float32"], 0)]
)
def test_the_exit_code_is_the_verdict(flags, code, tmp_path, capsys):
    (tmp_path / "steps.py").write_text(SOURCE)
    assert main([f"{tmp_path / 'steps.py'}:{flags[0]}", *flags[1:], "--json"]) == code
    found = json.loads(capsys.readouterr().out)
    assert [one["source"] for one in found["findings"]] == ["global RATE"] * code


def test_what_cannot_be_run_is_one_line_and_exit_code_2(tmp_path, capsys):
    (tmp_path / "steps.py").write_text(SOURCE)
    assert main([f"{tmp_path / 'steps.py'}:sound"]) == 2
    assert capsys.readouterr().err.startswith("probe: ")
