"""`python -m export check SAVED_MODEL`: reads the flags, checks, prints the report."""

import json
import os
import sys
from dataclasses import asdict

import tyro
from rich.console import Console

from export.errors import ExportError
from export.preflight.config import CheckConfig
from export.progress import Narrator


def main(arguments: list[str]) -> int:
    """Checks; 0 when nothing would fail, 1 when something would, 2 for an error to be mended."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    try:
        config = tyro.cli(
            CheckConfig, prog="python -m export check", args=arguments, use_underscores=True
        )
        # TensorFlow takes seconds to import, which a wrong flag need not wait for.
        from export.preflight.checking import check  # noqa: PLC0415
        from export.preflight.report_text import print_report  # noqa: PLC0415

        report = check(config, Narrator())
    except ExportError as error:
        print(f"check: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("check: interrupted", file=sys.stderr)
        return 130
    if config.json:
        print(json.dumps({**asdict(report), "failing": report.failing}))
    else:
        print_report(report, Console())
    return 1 if report.failing else 0
