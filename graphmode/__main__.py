"""`python -m graphmode TOOL ...`: the tools for graph code, on any project."""

import importlib
import sys

TOOLS = {
    "lint": ("graphmode.lint.command", "find in source what goes wrong in a tf.function"),
    "view": ("graphmode.view.command", "show what AutoGraph made of a function, beside its source"),
    "probe": ("graphmode.probe_command", "call a function twice and report what its trace froze"),
    "agreement": ("graphmode.agreement_command", "compare a model in eager, graph and XLA"),
    "graph": ("graphmode.graph.command", "show a graph before and after TensorFlow optimises it"),
    "claims": ("graphmode.claims.command", "try 74 claims about graph mode on this TensorFlow"),
}
"""Module whose `main(arguments) -> exit code` runs a tool, and what the tool is for."""


def main(arguments: list[str] | None = None) -> int:
    """Run the tool that the first argument names.

    Returns:
        The tool's exit code; 0 after the list of tools was asked for, 2 for an unknown tool.
    """
    tool, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if tool in ("-h", "--help"):
        print(_usage())
        return 0
    if tool not in TOOLS:
        print(f"graphmode: no tool {tool!r}\n\n{_usage()}", file=sys.stderr)
        return 2
    # The tools that need no TensorFlow must not wait for its import.
    module = importlib.import_module(TOOLS[tool][0])
    return int(module.main(rest))


def _usage() -> str:
    lines = [f"  {name:<10} {purpose}" for name, (_, purpose) in TOOLS.items()]
    return "\n".join(["usage: python -m graphmode TOOL ... (TOOL --help for its flags)", *lines])


if __name__ == "__main__":
    sys.exit(main())
