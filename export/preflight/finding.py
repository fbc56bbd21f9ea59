"""One check's verdict."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "warning", "FAILS", "not applicable"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What a check found and what to do about it."""

    name: str
    verdict: Verdict
    found: str
    advice: str = ""
    """What to do; empty where there is nothing to do."""


def ok(name: str, found: str) -> Finding:
    """Nothing to do."""
    return Finding(name=name, verdict="ok", found=found)


def warning(name: str, found: str, advice: str) -> Finding:
    """It will be served, but somebody will wonder."""
    return Finding(name=name, verdict="warning", found=found, advice=advice)


def fails(name: str, found: str, advice: str) -> Finding:
    """It would not load, would not answer, or would end the server."""
    return Finding(name=name, verdict="FAILS", found=found, advice=advice)


def not_applicable(name: str, found: str) -> Finding:
    """There was nothing to check, or no way to."""
    return Finding(name=name, verdict="not applicable", found=found)
