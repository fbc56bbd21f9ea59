"""Puts a guard behind each input of a MetaGraph's signatures.

    x --+--> reader          x --> x_shape_guard (EnsureShape) --+--> reader
        +--> reader                                              +--> reader

`x` stays the tensor that is fed: a feed replaces the output of `x`, so the guard sees what came.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import count
from typing import Any

import tensorflow as tf

from export.errors import ExportError
from export.guard.input_guard import InputGuard, Verdict, shape_text
from export.guard.tensor_readers import GUARD_OP, TensorReaders, full_name

_PLACEHOLDERS = ("Placeholder", "PlaceholderV2")
_HANDLES = (tf.resource, tf.variant)


@dataclass(frozen=True, kw_only=True)
class _Declaration:
    """An input as one signature declares it."""

    signature: str
    alias: str
    dtype: tf.DType
    shape: tf.TensorShape


@dataclass(frozen=True, kw_only=True)
class _Decision:
    verdict: Verdict
    shape: tf.TensorShape | None = None
    detail: str = ""


class _Graph:
    """A MetaGraph's graph, with what TensorFlow infers of it."""

    def __init__(self, meta_graph: Any) -> None:  # noqa: ANN401
        self.meta_graph = meta_graph
        self.nodes = {node.name: node for node in meta_graph.graph_def.node}
        self.readers = TensorReaders(meta_graph.graph_def)
        self._imported = _imported(meta_graph)

    def tensor(self, name: str) -> tf.Tensor | None:
        try:
            return self._imported.get_tensor_by_name(name)
        except (KeyError, ValueError):
            return None

    def is_computed(self, name: str) -> bool:
        """Whether a signature that does not feed it can have the graph make it."""
        return self.nodes[name.partition(":")[0]].op not in _PLACEHOLDERS


def guard_inputs(meta_graph: Any) -> list[InputGuard]:  # noqa: ANN401
    """Adds the guards to `meta_graph.graph_def`; signatures and all else stay as they are.

    Returns:
        What became of each input of each signature, in the order of their names.

    Raises:
        ExportError: this TensorFlow does not know the graph's ops.
    """
    graph = _Graph(meta_graph)
    inputs = []
    for tensor, declarations in _declarations(meta_graph).items():
        decision = _decide(graph, tensor, declarations)
        if decision.verdict == "added":
            _add(graph, tensor, decision.shape)
        inputs += [_described(meta_graph, tensor, each, decision) for each in declarations]
    if any(each.verdict == "added" for each in inputs):
        _name_op(meta_graph.meta_info_def.stripped_op_list)
    return sorted(inputs, key=lambda each: (each.signature, each.alias))


def _declarations(meta_graph: Any) -> dict[str, list[_Declaration]]:  # noqa: ANN401
    found = defaultdict(list)
    for signature, definition in sorted(meta_graph.signature_def.items()):
        for alias, info in definition.inputs.items():
            found[full_name(info.name) if info.name else ""].append(
                _Declaration(
                    signature=signature,
                    alias=alias,
                    dtype=tf.dtypes.as_dtype(info.dtype),
                    shape=declared_shape(info),
                )
            )
    return dict(found)


def declared_shape(info: Any) -> tf.TensorShape:  # noqa: ANN401
    """The shape in a TensorInfo: one that nobody wrote is unknown, and reads as a scalar's."""
    return tf.TensorShape(info.tensor_shape if info.HasField("tensor_shape") else None)


def _decide(graph: _Graph, name: str, declarations: list[_Declaration]) -> _Decision:
    tensor = graph.tensor(name) if name else None
    if tensor is None:
        return _Decision(verdict="left", detail=_why_no_tensor(name))
    if tensor.dtype in _HANDLES or tensor.dtype != tensor.dtype.base_dtype:
        return _Decision(verdict="left", detail=f"a {tensor.dtype.name} is no value to be sent")
    if graph.readers.count(name) == 0:
        return _Decision(verdict="left", detail="nothing in the graph reads it")
    shape = _loosest(each.shape for each in declarations)
    if graph.is_computed(name):
        # Where another signature has the graph compute it, what may come is what TensorFlow
        # infers; a narrower guard would refuse what was answered before.
        shape = _loosest([shape, tensor.shape])
    if shape.rank is None:
        return _Decision(verdict="left", detail=_why_no_rank(graph, name, declarations))
    if not shape.is_compatible_with(tensor.shape):
        detail = f"the graph itself has it as {_text(tensor.shape)}: no request can be answered"
        return _Decision(verdict="left", detail=detail)
    verdict: Verdict = "present" if graph.readers.are_guarded(name, shape) else "added"
    return _Decision(verdict=verdict, shape=shape)


def _why_no_tensor(name: str) -> str:
    if not name:
        return "a sparse or composite input, which no server feeds"
    return f"the graph has no tensor {name}"


def _why_no_rank(graph: _Graph, name: str, declarations: list[_Declaration]) -> str:
    if all(each.shape.rank is None for each in declarations):
        return "its signature declares no rank"
    if len({each.shape.rank for each in declarations}) == 1 and graph.is_computed(name):
        return f"the graph computes {name} where it is not fed, with any rank"
    others = ", ".join(f"{each.signature} as {_text(each.shape)}" for each in declarations)
    return f"signatures share its tensor, and declare it with different ranks: {others}"


def _loosest(shapes: Iterable[tf.TensorShape]) -> tf.TensorShape:
    """The narrowest shape that lets all of them through."""
    return reduce(lambda one, other: one.most_specific_compatible_shape(other), shapes)


def _add(graph: _Graph, tensor: str, shape: tf.TensorShape | None) -> None:
    read = graph.tensor(tensor)
    assert shape is not None
    assert read is not None
    producer = graph.nodes[tensor.partition(":")[0]]
    node = graph.meta_graph.graph_def.node.add(
        name=_free_name(graph, tensor), op=GUARD_OP, input=[tensor], device=producer.device
    )
    node.attr["T"].type = read.dtype.as_datatype_enum
    node.attr["shape"].shape.CopyFrom(shape.as_proto())
    graph.nodes[node.name] = node
    graph.readers.rewire(tensor, node.name)


def _free_name(graph: _Graph, tensor: str) -> str:
    node, _, output = tensor.partition(":")
    name = f"{node}_{output}_shape_guard" if int(output) else f"{node}_shape_guard"
    candidates = (f"{name}_{number}" if number else name for number in count())
    return next(candidate for candidate in candidates if candidate not in graph.nodes)


def _name_op(ops: Any) -> None:  # noqa: ANN401
    """Lists the guard's op in `ops`, where a SavedModel says which ops it needs."""
    if len(ops.op) and all(op.name != GUARD_OP for op in ops.op):
        with tf.Graph().as_default():
            ops.op.add().CopyFrom(tf.ensure_shape(tf.constant(0), []).op.op_def)


def _described(
    meta_graph: Any,  # noqa: ANN401
    tensor: str,
    declaration: _Declaration,
    decision: _Decision,
) -> InputGuard:
    detail = decision.detail
    if decision.shape is not None and _dims(decision.shape) != _dims(declaration.shape):
        detail = "looser than declared: the tensor has other uses"
    return InputGuard(
        tags=tuple(sorted(meta_graph.meta_info_def.tags)),
        signature=declaration.signature,
        alias=declaration.alias,
        tensor=tensor,
        dtype=declaration.dtype.name,
        shape=_dims(declaration.shape),
        verdict=decision.verdict,
        guard=None if decision.shape is None else _dims(decision.shape),
        detail=detail,
    )


def _dims(shape: tf.TensorShape) -> tuple[int | None, ...] | None:
    return None if shape.rank is None else tuple(shape.as_list())


def _text(shape: tf.TensorShape) -> str:
    return shape_text(_dims(shape))


def _imported(meta_graph: Any) -> tf.Graph:  # noqa: ANN401
    graph = tf.Graph()
    with graph.as_default():
        try:
            tf.compat.v1.import_graph_def(
                meta_graph.graph_def,
                name="",
                producer_op_list=meta_graph.meta_info_def.stripped_op_list,
            )
        except (ValueError, tf.errors.OpError) as error:
            line = str(error).strip().splitlines()[0]
            tags = ", ".join(meta_graph.meta_info_def.tags)
            raise ExportError(
                f"the graph tagged {tags} is not one that this TensorFlow ({tf.__version__}) "
                f"can build: {line}"
            ) from error
    return graph
