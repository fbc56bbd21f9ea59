"""Findings as text, JSON and SARIF 2.1.0."""

import json
from typing import Any
from urllib.parse import quote

from graphmode.lint.checking import SYNTAX, TITLES, Report
from graphmode.lint.finding import Finding
from graphmode.lint.rules import RULES

_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {SYNTAX: "error", **{rule.code: "note" for rule in RULES if not rule.is_default}}


def as_text(report: Report) -> str:
    """Two lines a finding: path:line:column CODE message, then what to do."""
    return "\n".join(
        f"{found.path}:{found.line}:{found.column} {found.code} {found.message}\n"
        f"    fix: {found.fix}"
        for found in report.findings
    )


def as_json(report: Report) -> str:
    """An object with `files` and `graph_functions`, which were looked at, and `findings`."""
    findings = [
        {
            "path": str(found.path),
            "line": found.line,
            "column": found.column,
            "code": found.code,
            "message": found.message,
            "fix": found.fix,
        }
        for found in report.findings
    ]
    counts = {"files": report.files, "graph_functions": report.graphs}
    return json.dumps(counts | {"findings": findings}, indent=2)


def as_sarif(report: Report) -> str:
    """A SARIF 2.1.0 log of one run, as code hosts take it."""
    run = {
        "tool": {"driver": {"name": "graphmode lint", "rules": _sarif_rules()}},
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(finding) for finding in report.findings],
    }
    return json.dumps({"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


OUTPUTS = {"text": as_text, "json": as_json, "sarif": as_sarif}
"""How a report can be written."""


def _sarif_rules() -> list[dict[str, Any]]:
    fixes = {rule.code: rule.fix for rule in RULES}
    return [
        {"id": code, "shortDescription": {"text": title}, "help": {"text": fixes.get(code, title)}}
        for code, title in TITLES.items()
    ]


def _sarif_result(finding: Finding) -> dict[str, Any]:
    return {
        "ruleId": finding.code,
        "ruleIndex": list(TITLES).index(finding.code),
        "level": _LEVELS.get(finding.code, "warning"),
        "message": {"text": f"{finding.message}. Fix: {finding.fix}."},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(finding.path.as_posix())},
                    "region": {"startLine": finding.line, "startColumn": finding.column},
                }
            }
        ],
    }
