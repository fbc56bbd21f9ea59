"""`python -m graphmode lint PATH...`: findings on stdout, counts on stderr."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from graphmode.lint.checking import check_paths, chosen_codes, rule_of
from graphmode.lint.errors import LintError
from graphmode.lint.output import OUTPUTS


@dataclass(frozen=True, kw_only=True)
class LintConfig:
    """Find in Python source what goes wrong in a tf.function, without running it."""

    paths: tyro.conf.Positional[tuple[Path, ...]] = ()
    """Files, or folders whose .py files are read."""

    select: str = ""
    """Codes or their beginnings, separated by commas, to look for; ALL for all. The default is all
    but GM601."""

    ignore: str = ""
    """Codes or their beginnings, separated by commas, to leave out."""

    exclude: str = ""
    """Files and folders to leave out, separated by commas."""

    output: Literal["text", "json", "sarif"] = "text"
    """How findings are written."""

    explain: str = ""
    """Print the page of this code, and check nothing."""


def main(arguments: list[str] | None = None) -> int:
    """Check as the flags say.

    Returns:
        0 when nothing was found, 1 for findings, 2 where the check could not run.
    """
    config = tyro.cli(
        LintConfig, prog="python -m graphmode lint", args=arguments, use_underscores=True
    )
    try:
        return _explain(config.explain) if config.explain else _check(config)
    except LintError as error:
        print(f"lint: {error}", file=sys.stderr)
        return 2


def _explain(code: str) -> int:
    print(rule_of(code).page())
    return 0


def _check(config: LintConfig) -> int:
    if not config.paths:
        raise LintError("nothing to check; name files or folders, such as: lint .")
    codes = chosen_codes(config.select, config.ignore)
    excluded = [Path(path) for path in config.exclude.split(",") if path]
    report = check_paths(config.paths, codes, excluded)
    written = OUTPUTS[config.output](report)
    if written:
        print(written)
    counts = {"findings": len(report.findings), "graph functions": report.graphs}
    counts["files"] = report.files
    print("; ".join(f"{name}: {count}" for name, count in counts.items()), file=sys.stderr)
    return 1 if report.findings else 0
