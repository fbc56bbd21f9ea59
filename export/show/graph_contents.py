"""What a SavedModel is made of: weights, constants and ops, and what is fused when it runs."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from math import prod
from pathlib import Path
from typing import Any

import tensorflow as tf

from export.errors import ExportError
from graphmode.errors import GraphmodeError
from graphmode.graph.facts import FusedOp
from graphmode.graph.saved_model_graph import saved_model_facts
from graphmode.graph.stage import flattened, stage_facts

_BOOK_KEEPING = "_CHECKPOINTABLE_OBJECT_GRAPH"


@dataclass(frozen=True, kw_only=True)
class Amount:
    """How many there are, and the memory that they take."""

    count: int
    bytes: int


@dataclass(frozen=True, kw_only=True)
class OpFacts:
    """The ops of a signature, the functions that it calls counted in once for each call."""

    of: str
    """The signature; empty where none ran, and the ops are the whole graph's."""

    ops: dict[str, int]
    """How many nodes of each op in the file, most first."""

    optimised_ops: dict[str, int]
    """The same as TensorFlow ran it; empty where it did not run."""

    fused: list[FusedOp]
    why_not_run: str
    """Empty where it ran."""


def variables_of(folder: Path) -> dict[str, Amount]:
    """The stored variables by dtype, as `float32`; of strings the bytes are not counted.

    Raises:
        ExportError: the files in `variables` cannot be read.
    """
    if not (folder / "variables" / "variables.index").is_file():
        return {}
    try:
        reader = tf.train.load_checkpoint(str(folder / "variables" / "variables"))
    except (tf.errors.OpError, RuntimeError, ValueError) as error:
        raise ExportError(f"{folder / 'variables'} cannot be read: {error}") from error
    dtypes = reader.get_variable_to_dtype_map()
    sizes: dict[str, list[int]] = defaultdict(list)
    for name, shape in reader.get_variable_to_shape_map().items():
        if name != _BOOK_KEEPING:
            is_text = dtypes[name] == tf.string
            sizes[dtypes[name].name].append(0 if is_text else prod(shape) * dtypes[name].size)
    return {
        dtype: Amount(count=len(sizes[dtype]), bytes=sum(sizes[dtype])) for dtype in sorted(sizes)
    }


def constants_of(meta_graph: Any) -> Amount:  # noqa: ANN401
    """The Const nodes of the graph and of its functions, each counted once."""
    graph = meta_graph.graph_def
    functions = (function.node_def for function in graph.library.function)
    stage = stage_facts(chain(graph.node, *functions))
    return Amount(count=len(stage.constants), bytes=stage.constant_bytes)


def ops_of(folder: Path, meta_graph: Any, signature: str, files: Mapping[str, Path]) -> OpFacts:  # noqa: ANN401
    """Loads the model into a session and runs the signature once on made-up inputs.

    Args:
        folder: the SavedModel's.
        meta_graph: the MetaGraph of it that servers take.
        signature: one of its signatures; empty where it has none.
        files: inputs by name that are read from files.
    """
    why = "it has no signature"
    if signature:
        try:
            facts = saved_model_facts(folder, signature, files)
        except GraphmodeError as error:
            why = str(error)
        else:
            return OpFacts(
                of=signature,
                ops=dict(facts.before.ops),
                optimised_ops=dict(facts.after.ops),
                fused=list(facts.after.fused),
                why_not_run="",
            )
    whole = stage_facts(flattened(meta_graph.graph_def))
    return OpFacts(of="", ops=dict(whole.ops), optimised_ops={}, fused=[], why_not_run=why)
