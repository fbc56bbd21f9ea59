"""The control flow of a graph function that depends on tensors."""

import ast
from collections.abc import Iterator
from typing import TypeAlias

from graphmode.lint.graph_functions import GraphFunction
from graphmode.lint.kinds import Kind

Branching: TypeAlias = ast.If | ast.While | ast.For


def tensor_flow(function: GraphFunction) -> list[Branching]:
    """Statements whose test or range is a tensor: they become operations of the graph."""
    return [
        node
        for node in function.nodes
        if isinstance(node, (ast.If, ast.While, ast.For)) and _is_traced(function, node)
    ]


def tensor_flow_around(function: GraphFunction, node: ast.AST) -> Iterator[Branching]:
    """The tensor-dependent statements in whose body a node stands, from the inside out."""
    inside = node
    for container in function.source.containers(node):
        if container is function.node:
            return
        if isinstance(container, (ast.If, ast.While, ast.For)):
            is_in_body = inside not in (getattr(container, "test", None), _iterated(container))
            if is_in_body and _is_traced(function, container):
                yield container
        inside = container


def _is_traced(function: GraphFunction, node: Branching) -> bool:
    decides = node.iter if isinstance(node, ast.For) else node.test
    kind = function.kind(decides)
    is_loop_over_dataset = isinstance(node, ast.For) and kind is Kind.DATASET
    return kind is Kind.TENSOR or is_loop_over_dataset


def _iterated(node: Branching) -> ast.AST | None:
    return node.iter if isinstance(node, ast.For) else None
