"""The tensors in a SavedModel's `variables/`: all are there, whole, and each once."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from export.errors import ExportError
from export.preflight.finding import Finding, fails, not_applicable, ok, warning
from export.preflight.reach import Reach, reach_of

FILES, ONCE = "variables files", "weights stored once"
_LARGEST_RATIO = 1.1
_UNIMPORTANT_BYTES = 100_000
_VARIABLE_OPS = frozenset({"VarHandleOp", "VariableV2", "Variable"})
_BOOKKEEPING = "_CHECKPOINTABLE_OBJECT_GRAPH"


@dataclass(frozen=True, kw_only=True)
class StoredTensor:
    """One tensor on disk."""

    bytes: int
    digest: str | None
    """Of dtype, shape and content; None where a copy would mean nothing: texts, and tensors all of
    whose elements are equal, such as the zeros that biases begin with."""


def check_files(folder: Path, meta_graph: Any) -> tuple[Finding, dict[str, StoredTensor]]:  # noqa: ANN401
    """Reads every stored tensor; what the graph restores must be there, and whole."""
    wanted = set(_restored_names(meta_graph))
    prefix = folder / "variables" / "variables"
    if not wanted:
        return not_applicable(FILES, "The graph restores no variable."), {}
    try:
        stored = _read(prefix)
    except ExportError as error:
        return fails(
            FILES,
            f"{error}. A server refuses the version, or takes it into use and fails every request.",
            "Copy the whole version again under another name, and rename it when it is complete.",
        ), {}
    missing = sorted(wanted - stored.keys())
    if missing:
        return fails(
            FILES,
            f"{prefix}.index lacks {missing[0]}, which the graph restores; {len(missing)} missing.",
            "The graph and the variables are of different models: save both again.",
        ), stored
    size = sum(tensor.bytes for tensor in stored.values())
    return ok(FILES, f"{len(wanted)} tensors ({size:,} bytes) are there and whole."), stored


def check_stored_once(stored: Mapping[str, StoredTensor], reaches: Mapping[str, Reach]) -> Finding:
    """Looks for equal copies, and for more bytes than the signatures' variables have."""
    if not stored:
        return not_applicable(ONCE, "No variables are stored.")
    copies = _copies(stored)
    wasted = sum(stored[name].bytes for names in copies for name in names[1:])
    if wasted > 0:
        first, second, *_ = copies[0]
        return warning(
            ONCE,
            f"{wasted:,} bytes are stored twice, as in {first} and {second}: the server "
            "reads both, and keeps both in memory.",
            "Use ExportArchive without track(), or save a tf.Module that holds each variable once.",
        )
    size, reached = sum(tensor.bytes for tensor in stored.values()), _reached_bytes(reaches)
    if reached is not None and size > _LARGEST_RATIO * reached + _UNIMPORTANT_BYTES:
        return warning(
            ONCE,
            f"{size:,} bytes are stored, the signatures reach variables of {reached:,}: "
            f"{size - reached:,} are read and kept in memory for nothing.",
            "Save a module without what only training needs, such as the optimizer's variables.",
        )
    return ok(ONCE, f"{size:,} bytes of variables, none of them twice.")


def _restored_names(meta_graph: Any) -> Iterator[str]:  # noqa: ANN401
    """Names of the tensors that the graph's restore op reads."""
    graph_def = meta_graph.graph_def
    restore_op = meta_graph.saver_def.restore_op_name
    reach = reach_of(graph_def, [restore_op] if restore_op else [])
    functions = (function.node_def for function in reach.functions)
    for nodes in (graph_def.node, *functions):
        constants = {node.name: node for node in nodes if node.op == "Const"}
        for node in nodes:
            if node.op == "RestoreV2":
                names = constants.get(node.input[1].partition(":")[0])
                if names is not None:
                    yield from (
                        name.decode()
                        for name in tf.make_ndarray(names.attr["value"].tensor).flat
                        if name.decode() != _BOOKKEEPING
                    )


def _read(prefix: Path) -> dict[str, StoredTensor]:
    """Every tensor, read to its last byte; TensorFlow compares its checksum.

    Raises:
        ExportError: a file is missing, cut or damaged.
    """
    if not prefix.with_suffix(".index").is_file():
        raise ExportError(f"{prefix}.index is missing")
    try:
        reader = tf.train.load_checkpoint(str(prefix))
        names = sorted(reader.get_variable_to_shape_map())
        return {name: _stored(reader.get_tensor(name)) for name in names if name != _BOOKKEEPING}
    except (tf.errors.OpError, ValueError, RuntimeError, LookupError) as error:
        line = str(error).strip().splitlines()[0]
        raise ExportError(f"{prefix.parent} is incomplete or damaged ({line})") from error


def _stored(value: Any) -> StoredTensor:  # noqa: ANN401
    array = np.ascontiguousarray(value)
    if array.dtype == object:
        return StoredTensor(bytes=sum(len(text) for text in array.flat), digest=None)
    content = array.tobytes()
    one = content[: array.itemsize]
    if content == one * array.size:
        return StoredTensor(bytes=array.nbytes, digest=None)
    digest = hashlib.sha256(f"{array.dtype} {array.shape} ".encode())
    digest.update(content)
    return StoredTensor(bytes=array.nbytes, digest=digest.hexdigest())


def _copies(stored: Mapping[str, StoredTensor]) -> list[list[str]]:
    """Names of tensors with the same content, the largest first."""
    groups = defaultdict(list)
    for name, tensor in stored.items():
        if tensor.digest is not None and tensor.bytes > np.dtype(np.int64).itemsize:
            groups[tensor.digest].append(name)
    copies = [names for names in groups.values() if len(names) > 1]
    return sorted(copies, key=lambda names: -stored[names[0]].bytes)


def _reached_bytes(reaches: Mapping[str, Reach]) -> int | None:
    """Of the different variables that signatures reach; None where a size is not known."""
    sizes: dict[str, int | None] = {}
    for reach in reaches.values():
        for node in reach.nodes:
            if node.op in _VARIABLE_OPS:
                shape = tf.TensorShape(node.attr["shape"].shape)
                elements = shape.num_elements()
                dtype = tf.dtypes.as_dtype(node.attr["dtype"].type)
                name = node.attr["shared_name"].s.decode() or node.name
                sizes[name] = None if elements is None else elements * dtype.size
    known = [size for size in sizes.values() if size is not None]
    return sum(known) if len(known) == len(sizes) else None
