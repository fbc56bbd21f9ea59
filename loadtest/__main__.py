"""`python -m loadtest`: compares the servers and prints the table."""

import json
import sys

import tyro

from loadtest.compare import compare
from loadtest.config import CompareConfig
from loadtest.errors import LoadTestError
from loadtest.verdict import plain_table, verdict


def main() -> int:
    """Compares; 0 when a result was written, 2 for an error that the user can mend."""
    try:
        config = tyro.cli(CompareConfig, prog="python -m loadtest", use_underscores=True)
        folder, summary = compare(config)
    except LoadTestError as error:
        print(f"loadtest: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("loadtest: interrupted; the servers are stopped, no result written", file=sys.stderr)
        return 130
    print(plain_table(summary))
    print()
    print(verdict(summary))
    print(json.dumps({"result": str(folder), "report": str(folder / "report.html")}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
