import json
import sys

import pytest

from graphmode.errors import GraphmodeError
from graphmode.target import resolve


def test_a_module_and_a_dotted_attribute_are_resolved():
    assert resolve("json:JSONDecoder.decode") is json.JSONDecoder.decode


def test_a_file_is_loaded_once_and_may_import_its_neighbours(tmp_path):
    (tmp_path / "neighbour_of_target.py").write_text("VALUE = 7\n")
    file = tmp_path / "target_of_test.py"
    file.write_text("from neighbour_of_target import VALUE\nfound = [VALUE]\n")
    found = resolve(f"{file}:found")
    assert found == [7]
    assert resolve(f"{file}:found") is found
    assert str(tmp_path) not in sys.path


def test_a_file_does_not_replace_a_module_of_its_name(tmp_path):
    file = tmp_path / "json.py"
    file.write_text("VALUE = 7\n")
    assert resolve(f"{file}:VALUE") == 7
    assert sys.modules["json"] is json


def test_a_file_that_fails_is_loaded_anew(tmp_path):
    file = tmp_path / "failing_target.py"
    file.write_text("1 / 0\n")
    with pytest.raises(ZeroDivisionError):
        resolve(f"{file}:value")
    file.write_text("value = 1  # mended\n")
    assert resolve(f"{file}:value") == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("json", "'json': expected package.module:attribute or path/file.py:attribute"),
        (":loads", "':loads': expected"),
        ("no_such_package.module:f", "no module 'no_such_package'"),
        ("nowhere/file.py:f", "nowhere/file.py: no such file"),
        ("json:JSONDecoder.nothing", "json:JSONDecoder.nothing: .* has no attribute 'nothing'"),
    ],
)
def test_what_is_not_there_is_named(name, said):
    with pytest.raises(GraphmodeError, match=said):
        resolve(name)
