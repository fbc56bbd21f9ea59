"""`python -m export`: from a training run to versions that a server loads, and what goes with them.

python -m export --run_dir runs/NAME     # the export itself
python -m export check SAVED_MODEL ...   # a command of the table below
"""

import importlib
import sys

COMMANDS = {
    "check": ("export.preflight.command", "say what TensorFlow Serving would make of a SavedModel"),
    "guard": ("export.guard.command", "write a SavedModel again, shape guards behind its inputs"),
    "show": ("export.show.command", "print a SavedModel's signatures, sizes, ops and fused ops"),
    "list": ("export.publishing.list_command", "list the published versions and their labels"),
    "promote": ("export.publishing.promote_command", "make the canary the stable version"),
    "rollback": ("export.publishing.rollback_command", "make an earlier version the stable one"),
    "prune": ("export.publishing.prune_command", "remove old versions"),
    "bench": ("export.benchmark.command", "measure all forms of a run side by side"),
}
"""Module whose `main(arguments) -> exit code` runs a command, and what the command is for."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command that the first argument names, or, where it names none, an export.

    Returns:
        The command's exit code; 2 for an error to be mended.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments and not arguments[0].startswith("-"):
        command, *rest = arguments
        if command not in COMMANDS:
            print(f"export: no command {command!r}\n\n{_usage()}", file=sys.stderr)
            return 2
        return int(importlib.import_module(COMMANDS[command][0]).main(rest))
    if {"-h", "--help"} & set(arguments):
        print(_usage(), end="\n\n")
    # Commands that need no TensorFlow do not wait for its import.
    return int(importlib.import_module("export.command").main(arguments))


def _usage() -> str:
    lines = [f"  {name:<10} {purpose}" for name, (_, purpose) in COMMANDS.items()]
    head = (
        "usage: python -m export --run_dir RUN ..., or COMMAND ... (COMMAND --help for its flags)"
    )
    return "\n".join([head, *lines])


if __name__ == "__main__":
    sys.exit(main())
