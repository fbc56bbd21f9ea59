"""`python -m loadtest`: compares the servers and prints the table."""

import json
import signal
import sys

import tyro

from loadtest.compare import compare
from loadtest.config import CompareConfig
from loadtest.errors import LoadTestError
from loadtest.targets import Target
from loadtest.verdict import plain_table, verdict


def main(known: dict[str, Target] | None = None) -> int:
    """Compares and prints the table.

    Args:
        known: The targets there are, by name; those of the product by default.

    Returns:
        The exit code: 0 when a result was written, 2 for an error that the user can mend, 130
        when interrupted.
    """
    # Shells start what runs in the background with SIGINT ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    try:
        config = tyro.cli(CompareConfig, prog="python -m loadtest", use_underscores=True)
        folder, summary = compare(config, known)
    except LoadTestError as error:
        print(f"loadtest: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("loadtest: interrupted; the servers are stopped, no result written", file=sys.stderr)
        return 130
    print(plain_table(summary))
    print()
    print(verdict(summary))
    for reason in summary.headline.reasons if summary.headline else []:
        print(f"  {reason}")
    print(json.dumps({"result": str(folder), "report": str(folder / "report.html")}))
    return 0


def _interrupt(*_: object) -> None:
    """Ends as Ctrl-C does, so that a terminated comparison leaves no server behind."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
