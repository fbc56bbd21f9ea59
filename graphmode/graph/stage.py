"""From the nodes of a graph to its facts at that stage."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import tensorflow as tf

from graphmode.graph.facts import UNPLACED, Constant, FusedOp, StageFacts, Variable

_FUSED_NAMES = ("_Fused", "_MklFused", "_MklNativeFused", "FusedBatchNorm", "_MklFusedBatchNorm")


def flattened(graph: Any) -> Iterator[Any]:  # noqa: ANN401
    """Go through a GraphDef's nodes, and through those of a function at each call of it.

    The call itself is a node, too. Functions that nothing calls are left out.
    """
    library = {function.signature.name: function.node_def for function in graph.library.function}
    yield from _expanded(graph.node, library, ())


def stage_facts(nodes: Iterable[Any]) -> StageFacts:
    """Count what there is in a graph's nodes (NodeDef)."""
    listed = list(nodes)
    constants = [_constant(node) for node in listed if node.op == "Const"]
    return StageFacts(
        ops=_most_first(node.op for node in listed),
        fused=_fused(listed),
        casts=_most_first(_cast(node) for node in listed if node.op == "Cast"),
        dtypes=_most_first(dtype for node in listed if (dtype := _dtype(node)) is not None),
        constants=tuple(sorted(constants, key=lambda constant: -constant.bytes)),
        devices={
            device: _most_first(node.op for node in listed if device_of(node) == device)
            for device in _most_first(device_of(node) for node in listed)
        },
    )


def device_of(node: Any) -> str:  # noqa: ANN401
    """The device that a node is placed on, as `CPU:0`, or UNPLACED."""
    return str(node.device).rpartition("device:")[2] or UNPLACED


def variables_of(nodes: Iterable[Any]) -> tuple[Variable, ...]:
    """The variables that a session's graph (NodeDefs) holds handles of."""
    found = {}
    for node in nodes:
        if node.op == "VarHandleOp":
            name = (node.attr["shared_name"].s or node.name.encode()).decode()
            dims = tuple(dim.size for dim in node.attr["shape"].shape.dim)
            shape = tuple(None if dim < 0 else dim for dim in dims)
            found[name] = make_variable(name, tf.dtypes.as_dtype(node.attr["dtype"].type), shape)
    return tuple(found[name] for name in sorted(found))


def make_variable(name: str, dtype: tf.DType, shape: tuple[int | None, ...]) -> Variable:
    """Describe a variable."""
    known = [dim for dim in shape if dim is not None]
    size = math.prod(known) * dtype.size if len(known) == len(shape) else None
    return Variable(name=name, dtype=dtype.name, shape=shape, bytes=size)


def _expanded(nodes: Any, library: dict[str, Any], path: tuple[str, ...]) -> Iterator[Any]:  # noqa: ANN401
    for node in nodes:
        yield node
        for name in _called(node):
            if name in library and name not in path:
                yield from _expanded(library[name], library, (*path, name))


def _called(node: Any) -> Iterator[str]:  # noqa: ANN401
    for value in node.attr.values():
        if value.HasField("func"):
            yield value.func.name
        yield from (function.name for function in value.list.func)


def _most_first(names: Iterable[str]) -> dict[str, int]:
    counts = Counter(names)
    return {name: counts[name] for name in sorted(counts, key=lambda name: (-counts[name], name))}


def _fused(nodes: list[Any]) -> tuple[FusedOp, ...]:
    counts = Counter(
        (node.op, _names(node), _dtype(node) or "")
        for node in nodes
        if _names(node) or node.op.startswith(_FUSED_NAMES)
    )
    return tuple(
        FusedOp(op=op, fused_ops=fused_ops, dtype=dtype, count=count)
        for (op, fused_ops, dtype), count in sorted(counts.items(), key=lambda item: -item[1])
    )


def _names(node: Any) -> tuple[str, ...]:  # noqa: ANN401
    return tuple(name.decode() for name in node.attr["fused_ops"].list.s)


def _cast(node: Any) -> str:  # noqa: ANN401
    source, target = (tf.dtypes.as_dtype(node.attr[side].type).name for side in ("SrcT", "DstT"))
    return f"{source} -> {target}"


def _dtype(node: Any) -> str | None:  # noqa: ANN401
    for attribute in ("T", "dtype"):
        if attribute in node.attr and node.attr[attribute].type:
            return str(tf.dtypes.as_dtype(node.attr[attribute].type).name)
    return None


def _constant(node: Any) -> Constant:  # noqa: ANN401
    tensor = node.attr["value"].tensor
    dtype = tf.dtypes.as_dtype(tensor.dtype)
    shape = tuple(dim.size for dim in tensor.tensor_shape.dim)
    text_bytes = sum(len(text) for text in tensor.string_val)
    size = text_bytes if dtype == tf.string else math.prod(shape) * dtype.size
    return Constant(name=node.name, dtype=dtype.name, shape=shape, bytes=size)
