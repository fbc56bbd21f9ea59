"""The signatures of a SavedModel in the words of `saved_model_cli show --all`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tensorflow.core.framework import types_pb2


@dataclass(frozen=True, kw_only=True)
class TensorFacts:
    """One input or output."""

    alias: str
    """The name that clients use."""

    dtype: str
    """As `DT_FLOAT`."""

    shape: str
    """As `(-1, 224, 224, 3)`, -1 for an open dimension; or `unknown_rank`."""

    tensor: str
    """Its name in the graph; empty for a sparse or composite tensor."""


@dataclass(frozen=True, kw_only=True)
class SignatureFacts:
    """One signature of one MetaGraph."""

    tags: tuple[str, ...]
    name: str
    method: str
    """As `tensorflow/serving/predict`."""

    inputs: list[TensorFacts]
    outputs: list[TensorFacts]


def signatures_of(saved_model: Any) -> list[SignatureFacts]:  # noqa: ANN401
    """Every signature of every MetaGraph, in the order of the MetaGraphs and of the names."""
    return [
        SignatureFacts(
            tags=tuple(sorted(meta_graph.meta_info_def.tags)),
            name=name,
            method=definition.method_name,
            inputs=_tensors(definition.inputs),
            outputs=_tensors(definition.outputs),
        )
        for meta_graph in saved_model.meta_graphs
        for name, definition in sorted(meta_graph.signature_def.items())
    ]


def _tensors(infos: Mapping[str, Any]) -> list[TensorFacts]:
    return [
        TensorFacts(
            alias=alias,
            dtype=types_pb2.DataType.Name(info.dtype),
            shape=_shape(info.tensor_shape),
            tensor=info.name,
        )
        for alias, info in sorted(infos.items())
    ]


def _shape(shape: Any) -> str:  # noqa: ANN401
    if shape.unknown_rank:
        return "unknown_rank"
    return f"({', '.join(str(dim.size) for dim in shape.dim)})"
