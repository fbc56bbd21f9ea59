import json
from pathlib import Path

import jsonschema
import pytest

from graphmode.lint.checking import Report, check_text, chosen_codes
from graphmode.lint.output import as_json, as_sarif, as_text

TEXT = "import tensorflow as tf\n@tf.function\ndef step(x):\n    print(x)\n"

_TEXT = {
    "type": "object",
    "required": ["text"],
    "properties": {"text": {"type": "string", "minLength": 1}},
}
_LOCATION = {
    "type": "object",
    "required": ["physicalLocation"],
    "properties": {
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation", "region"],
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "required": ["uri"],
                    "properties": {"uri": {"type": "string", "pattern": r"^[^\\]+$"}},
                },
                "region": {
                    "type": "object",
                    "required": ["startLine"],
                    "properties": {
                        "startLine": {"type": "integer", "minimum": 1},
                        "startColumn": {"type": "integer", "minimum": 1},
                    },
                    "additionalProperties": False,
                },
            },
        }
    },
}
_RULE = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"type": "string"}, "shortDescription": _TEXT, "help": _TEXT},
    "additionalProperties": False,
}
_RESULT = {
    "type": "object",
    "required": ["message", "ruleId", "locations"],
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": _TEXT,
        "locations": {"type": "array", "minItems": 1, "items": _LOCATION},
    },
    "additionalProperties": False,
}
_RUN = {
    "type": "object",
    "required": ["tool", "results"],
    "properties": {
        "tool": {
            "type": "object",
            "required": ["driver"],
            "properties": {
                "driver": {
                    "type": "object",
                    "required": ["name"],
                    "properties": {
                        "name": {"type": "string"},
                        "rules": {"type": "array", "items": _RULE, "uniqueItems": True},
                    },
                }
            },
        },
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "results": {"type": "array", "items": _RESULT},
    },
    "additionalProperties": False,
}
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "items": _RUN},
    },
    "additionalProperties": False,
}
"""What SARIF 2.1.0 (OASIS, 2020) requires of the parts that are written."""


@pytest.fixture
def report():
    return check_text(Path("folder/module.py"), TEXT, chosen_codes("", ""))


def test_text_has_place_code_message_and_fix(report):
    assert as_text(report) == (
        "folder/module.py:4:5 GM101 print runs while tracing only: later calls print nothing\n"
        "    fix: use tf.print, which becomes an operation of the graph"
    )


def test_json_has_each_part_under_its_name(report):
    written = json.loads(as_json(report))
    assert written["files"] == 1
    (finding,) = written["findings"]
    assert {name: finding[name] for name in ("path", "line", "column", "code")} == {
        "path": "folder/module.py",
        "line": 4,
        "column": 5,
        "code": "GM101",
    }
    assert finding["message"]
    assert finding["fix"]


def test_sarif_is_valid_and_points_to_the_line(report):
    log = json.loads(as_sarif(report))
    jsonschema.validate(log, SARIF)
    (run,) = log["runs"]
    (result,) = run["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (result["ruleId"], region) == ("GM101", {"startLine": 4, "startColumn": 5})
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "GM101"


def test_sarif_writes_a_path_as_a_uri():
    log = json.loads(as_sarif(check_text(Path("my code/é.py"), TEXT, chosen_codes("", ""))))
    location = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "my%20code/%C3%A9.py"}


def test_sarif_of_a_syntax_error_is_valid():
    log = json.loads(as_sarif(check_text(Path("module.py"), "def (:\n", chosen_codes("", ""))))
    jsonschema.validate(log, SARIF)
    assert [result["level"] for result in log["runs"][0]["results"]] == ["error"]


def test_sarif_calls_a_missing_contract_a_note():
    log = json.loads(as_sarif(check_text(Path("module.py"), TEXT, chosen_codes("GM601", ""))))
    assert [result["level"] for result in log["runs"][0]["results"]] == ["note"]


def test_of_nothing_json_and_sarif_are_whole():
    assert json.loads(as_json(Report([], files=3, graphs=2))) == {
        "files": 3,
        "graph_functions": 2,
        "findings": [],
    }
    log = json.loads(as_sarif(Report([], files=3, graphs=2)))
    jsonschema.validate(log, SARIF)
    assert log["runs"][0]["results"] == []
