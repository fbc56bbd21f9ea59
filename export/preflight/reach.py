"""What a signature's outputs lead back to: nodes of the graph, and the functions they call."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Reach:
    """What runs, as far as the graph tells, when some tensors are fetched."""

    nodes: tuple[Any, ...]
    """NodeDefs, those of the functions among them; each once, however often it is called."""

    functions: tuple[Any, ...]
    """FunctionDefs."""

    def ops(self) -> set[str]:
        """Names of ops."""
        return {node.op for node in self.nodes}


def reach_of(graph_def: Any, names: Iterable[str]) -> Reach:  # noqa: ANN401
    """Everything that the tensors or nodes of these names lead back to."""
    nodes = {node.name: node for node in graph_def.node}
    library = {function.signature.name: function for function in graph_def.library.function}
    found: dict[str, Any] = {}
    wanted = [_node_name(name) for name in names]
    while wanted:
        name = wanted.pop()
        if name in nodes and name not in found:
            found[name] = nodes[name]
            wanted += [_node_name(source) for source in nodes[name].input]
    functions = _functions(found.values(), library)
    inner = (node for function in functions for node in function.node_def)
    return Reach(nodes=(*found.values(), *inner), functions=functions)


def signature_reaches(meta_graph: Any) -> dict[str, Reach]:  # noqa: ANN401
    """The reach of every signature by its name, TensorFlow's own `__saved_model_init_op` too."""
    return {
        name: reach_of(meta_graph.graph_def, [info.name for info in signature.outputs.values()])
        for name, signature in meta_graph.signature_def.items()
    }


def all_nodes(graph_def: Any) -> Iterator[Any]:  # noqa: ANN401
    """Every NodeDef, reached or not."""
    yield from graph_def.node
    for function in graph_def.library.function:
        yield from function.node_def


def _functions(nodes: Iterable[Any], library: Mapping[str, Any]) -> tuple[Any, ...]:
    found: dict[str, Any] = {}
    wanted = [name for node in nodes for name in _called(node)]
    while wanted:
        name = wanted.pop()
        if name in library and name not in found:
            found[name] = library[name]
            wanted += [inner for node in library[name].node_def for inner in _called(node)]
    return tuple(found.values())


def _called(node: Any) -> Iterator[str]:  # noqa: ANN401
    yield node.op  # A graph of TF1 calls a function as if it were an op.
    for value in node.attr.values():
        if value.HasField("func"):
            yield value.func.name
        yield from (function.name for function in value.list.func)


def _node_name(tensor: str) -> str:
    return tensor.lstrip("^").partition(":")[0]
