"""GM601: the docstring that says what a graph function takes, and when it is traced."""

import ast
from collections.abc import Iterator

from graphmode.lint.rule import Fault, File, Rule


def _silent_docstrings(file: File) -> Iterator[Fault]:
    for function in file.functions:
        node, root = function.node, function.root
        is_decorated = node is root.function and root.how == "tf.function"
        if not is_decorated or not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
            continue
        text = (ast.get_docstring(node) or "").lower()
        if "input_signature" not in text and "trac" not in text:
            yield node, f"the docstring of `{node.name}` says nothing of input_signature or tracing"


RULES = (
    Rule(
        "GM601",
        "a docstring without the tracing contract",
        "state the input_signature and how often it is traced",
        _silent_docstrings,
        is_default=False,
    ),
)
