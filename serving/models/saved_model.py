"""A version's folder on disk, looked at before TensorFlow is trusted with it.

TensorFlow's loader takes a graph whose variables are missing for a model without variables: it
says AVAILABLE and every request fails. A version folder that is still being copied looks just so.
"""

import re
from pathlib import Path

from google.protobuf.message import DecodeError

from serving.errors import Fault, ServingError
from serving.messages import graph_pb2, saved_model_pb2

_VARIABLE_OPS = {"VarHandleOp", "VariableV2", "Variable", "RestoreV2", "Restore"}
_SHARD = re.compile(r"variables\.data-\d{5}-of-(\d{5})")


def check_complete(folder: Path) -> None:
    """Refuse a version folder that TensorFlow would load although files are missing.

    Raises:
        ServingError: OUT_OF_RANGE for a graph that cannot be read, NOT_FOUND for missing variables.
    """
    graph_file = folder / "saved_model.pb"
    if not graph_file.is_file():
        return  # TensorFlow's own refusal is clear, and it also knows saved_model.pbtxt.
    try:
        saved_model = saved_model_pb2.SavedModel.FromString(graph_file.read_bytes())
    except DecodeError as error:
        raise ServingError(
            Fault.OUT_OF_RANGE, f"{graph_file} is cut or damaged: it does not parse as a SavedModel"
        ) from error
    if any(_has_variables(meta_graph.graph_def) for meta_graph in saved_model.meta_graphs):
        _check_variables(folder / "variables")


def fingerprint(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Name, size and time of change of every file below `folder`: equal while nothing changed."""
    return tuple(
        sorted(
            (str(file.relative_to(folder)), stat.st_size, stat.st_mtime_ns)
            for file in folder.rglob("*")
            if file.is_file() and (stat := file.stat())
        )
    )


def _has_variables(graph: graph_pb2.GraphDef) -> bool:
    functions = (node for function in graph.library.function for node in function.node_def)
    return any(node.op in _VARIABLE_OPS for node in graph.node) or any(
        node.op in _VARIABLE_OPS for node in functions
    )


def _check_variables(folder: Path) -> None:
    if not (folder / "variables.index").is_file():
        raise ServingError(
            Fault.NOT_FOUND,
            f"{folder / 'variables.index'} is missing although the graph has variables; "
            "the version folder is not completely copied",
        )
    shards = [match for file in folder.iterdir() if (match := _SHARD.fullmatch(file.name))]
    wanted = int(shards[0][1]) if shards else 1
    if len(shards) < wanted:
        raise ServingError(
            Fault.NOT_FOUND,
            f"{folder} holds {len(shards)} of {wanted} variables.data files; "
            "the version folder is not completely copied",
        )
