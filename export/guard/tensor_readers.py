"""Who reads a tensor of a graph, and whether each reader checks its shape first."""

from collections import defaultdict
from typing import Any

import tensorflow as tf

GUARD_OP = "EnsureShape"
_CALL_OPS = ("PartitionedCall", "StatefulPartitionedCall")


class TensorReaders:
    """The data inputs of a graph's nodes, by the tensor that each names."""

    def __init__(self, graph_def: Any) -> None:  # noqa: ANN401
        """Reads the graph; a change of its inputs is to be made by `rewire`."""
        self._readers: dict[str, list[tuple[Any, int]]] = defaultdict(list)
        self._library = {
            function.signature.name: function for function in graph_def.library.function
        }
        for node in graph_def.node:
            for index, name in enumerate(node.input):
                if not name.startswith("^"):
                    self._readers[full_name(name)].append((node, index))

    def count(self, tensor: str) -> int:
        """How many inputs read `tensor` (`node:0`)."""
        return len(self._readers.get(tensor, ()))

    def are_guarded(self, tensor: str, shape: tf.TensorShape) -> bool:
        """Whether every reader holds the tensor against `shape`, or a narrower one, at once.

        A function that is called with the tensor does so where its own readers do.
        """
        readers = self._readers.get(tensor, [])
        return bool(readers) and all(
            self._checks(node, index, shape, ()) for node, index in readers
        )

    def rewire(self, tensor: str, guard: str) -> None:
        """Lets every reader of `tensor` read the node `guard` instead; control inputs stay."""
        self._readers[full_name(guard)] = self._readers.pop(tensor)
        for node, index in self._readers[full_name(guard)]:
            node.input[index] = guard

    def _checks(self, node: Any, index: int, shape: tf.TensorShape, path: tuple[str, ...]) -> bool:  # noqa: ANN401
        if node.op == GUARD_OP:
            return bool(tf.TensorShape(node.attr["shape"].shape).is_subtype_of(shape))
        called = node.attr["f"].func.name if node.op in _CALL_OPS else ""
        if called not in self._library or called in path:
            return False
        function = self._library[called]
        argument = function.signature.input_arg[index].name
        if argument in function.ret.values():
            return False
        inner = [
            (reader, at)
            for reader in function.node_def
            for at, name in enumerate(reader.input)
            if name == argument
        ]
        return bool(inner) and all(
            self._checks(reader, at, shape, (*path, called)) for reader, at in inner
        )


def full_name(tensor: str) -> str:
    """`node` and `node:0` are the same tensor: `node:0`."""
    return tensor if ":" in tensor else f"{tensor}:0"
