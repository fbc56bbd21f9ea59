"""The command's exit code says whether the modes agree."""

import json

import pytest

from graphmode.agreement_command import main

SOUND = """
import keras
def model():
    inputs = keras.Input((3,))
    return keras.Model(inputs, keras.layers.Dense(2)(inputs))
"""
APART = """
import keras, tensorflow as tf
class Other(keras.layers.Layer):
    def call(self, x):
        return x if tf.executing_eagerly() else 2 * x
def model():
    inputs = keras.Input((3,))
    return keras.Model(inputs, Other()(inputs))
"""


@pytest.mark.parametrize(("source", "code"), [(SOUND, 0), (APART, 1)])
def test_the_exit_code_is_the_verdict(source, code, tmp_path, capsys):
    (tmp_path / "net.py").write_text(source)
    assert main([f"{tmp_path / 'net.py'}:model", "--json"]) == code
    assert json.loads(capsys.readouterr().out)["agrees"] is (code == 0)


def test_a_table_names_each_mode(tmp_path, capsys):
    (tmp_path / "net.py").write_text(SOUND)
    assert main([f"{tmp_path / 'net.py'}:model"]) == 0
    out = capsys.readouterr().out
    assert "graph" in out
    assert "xla" in out


@pytest.mark.parametrize("name", ["nothing", "missing.keras", "json:dumps.absent"])
def test_what_is_no_model_is_one_line_and_exit_code_2(name, capsys):
    assert main([name]) == 2
    assert capsys.readouterr().err.startswith("agreement: ")
