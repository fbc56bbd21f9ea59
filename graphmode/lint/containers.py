"""Python's containers, as source makes them."""

import ast

from graphmode.lint.source import Source


def makes_container(source: Source, node: ast.AST, name: str) -> bool:
    """Whether a statement gives a name a list, dict or set."""
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=target)], value=value)
            | ast.AnnAssign(target=ast.Name(id=target), value=value)
        ) if target == name:
            is_display = isinstance(
                value, (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp)
            )
            return is_display or (
                isinstance(value, ast.Call) and source.is_builtin(value.func, "list", "dict", "set")
            )
    return False
