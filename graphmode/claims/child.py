"""A fresh process for what may crash, or sets what cannot be set back.

    in_child(function) --> python -m graphmode.claims.child MODULE FUNCTION --JSON--> its value

The function is found by name in the child, so its source is there for AutoGraph to read.
"""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_LIMIT_S = 120.0
_MARK = "graphmode-claims-value:"


@dataclass(frozen=True, kw_only=True)
class ChildEnd:
    """How a child process ended."""

    value: Any
    """What the function returned, through JSON; None when it did not get that far."""
    exit_code: int
    """0, or a negative signal number, or what Python gives for an uncaught error."""
    stdout: str
    """What the function, and TensorFlow, wrote there."""
    stderr: str


def in_child(function: Callable[[], Any], environment: Mapping[str, str] | None = None) -> ChildEnd:
    """Call a function of a module, without arguments, in a fresh Python process.

    Args:
        function: a module's function whose value JSON can carry.
        environment: variables to set for the child beside those of this process.

    Raises:
        subprocess.TimeoutExpired: the child was not done after two minutes; it is ended.
    """
    ended = subprocess.run(
        [sys.executable, "-m", __name__, function.__module__, function.__name__],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_LIMIT_S,
        check=False,
    )
    stdout, _, value = ended.stdout.partition(_MARK)
    return ChildEnd(
        value=json.loads(value) if value else None,
        exit_code=ended.returncode,
        stdout=stdout,
        stderr=ended.stderr,
    )


def _main() -> None:
    module, function = sys.argv[1:]
    value = getattr(importlib.import_module(module), function)()
    print(_MARK + json.dumps(value), flush=True)


if __name__ == "__main__":
    _main()
