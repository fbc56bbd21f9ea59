"""`python -m serving.flask_baseline`: the baseline on the command line."""

import sys

import tyro

from serving.errors import StartError
from serving.flask_baseline.config import BaselineConfig
from serving.flask_baseline.server import serve


def main() -> int:
    """Serves until told to stop; 0 after draining, 2 where the server cannot start."""
    try:
        serve(
            tyro.cli(BaselineConfig, prog="python -m serving.flask_baseline", use_underscores=True)
        )
    except StartError as error:
        print(f"flask_baseline: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
