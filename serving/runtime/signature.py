"""A signature of a model: what a request must bring, and what the answer holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from serving.errors import Fault, ServingError
from serving.messages import meta_graph_pb2
from serving.runtime.dtypes import dtype_name
from serving.runtime.tensors import Tensor

DEFAULT_SIGNATURE = "serving_default"


@dataclass(frozen=True, kw_only=True)
class TensorInfo:
    """One named input or output of a signature."""

    alias: str
    tensor_name: str
    dtype: int
    """TensorFlow's DataType enum."""

    shape: tuple[int | None, ...] | None
    """None for an unknown rank; a None inside for a dimension of any size."""


@dataclass(frozen=True, kw_only=True)
class Signature:
    """The inputs and outputs of a signature, by alias."""

    name: str
    inputs: Mapping[str, TensorInfo]
    outputs: Mapping[str, TensorInfo]

    def check_inputs(self, sent: Mapping[str, Tensor]) -> None:
        """Raises ServingError unless exactly the signature's inputs were sent."""
        if sent.keys() == self.inputs.keys():
            return
        extra, missing = sent.keys() - self.inputs.keys(), self.inputs.keys() - sent.keys()
        raise ServingError(
            Fault.INVALID_ARGUMENT,
            f"input size does not match signature: {len(sent)}!={len(self.inputs)} "
            f"len({_braced(sent)}) != len({_braced(self.inputs)}). "
            f"Sent extra: {_braced(extra)}. Missing but required: {_braced(missing)}.",
        )

    def check_shapes(self, sent: Mapping[str, Tensor]) -> None:
        """Raises ServingError where a rank or a fixed dimension contradicts the signature."""
        for alias, array in sent.items():
            shape = self.inputs[alias].shape
            if shape is not None and not _fits(array.shape, shape):
                raise ServingError(
                    Fault.INVALID_ARGUMENT,
                    f'input "{alias}" of signature "{self.name}" has shape {list(array.shape)}, '
                    f"expected {_shown(shape)} of {dtype_name(self.inputs[alias].dtype)}",
                )

    def chosen_outputs(self, output_filter: Sequence[str]) -> list[str]:
        """The aliases to compute: those of the filter, or all.

        Raises:
            ServingError: the filter names an alias twice, or one that is not there.
        """
        for index, alias in enumerate(output_filter):
            if alias not in self.outputs:
                raise ServingError(
                    Fault.INVALID_ARGUMENT,
                    f"output tensor alias not found in signature: {alias} "
                    f"Outputs expected to be in the set {_braced(self.outputs)}.",
                )
            if alias in output_filter[:index]:
                raise ServingError(
                    Fault.INVALID_ARGUMENT, f"duplicate output tensor alias: {alias}"
                )
        return list(output_filter) or list(self.outputs)


def read_signatures(
    definitions: Mapping[str, meta_graph_pb2.SignatureDef],
) -> dict[str, Signature]:
    """The signatures of a loaded model by name."""
    return {
        name: Signature(
            name=name,
            inputs={alias: _info(alias, info) for alias, info in sorted(definition.inputs.items())},
            outputs={
                alias: _info(alias, info) for alias, info in sorted(definition.outputs.items())
            },
        )
        for name, definition in definitions.items()
    }


def _info(alias: str, info: meta_graph_pb2.TensorInfo) -> TensorInfo:
    shape = info.tensor_shape
    dims = tuple(None if dim.size < 0 else int(dim.size) for dim in shape.dim)
    return TensorInfo(
        alias=alias,
        tensor_name=info.name,
        dtype=info.dtype,
        shape=None if shape.unknown_rank else dims,
    )


def _fits(sent: tuple[int, ...], declared: tuple[int | None, ...]) -> bool:
    return len(sent) == len(declared) and all(
        want is None or have == want for have, want in zip(sent, declared, strict=True)
    )


def _shown(shape: tuple[int | None, ...]) -> str:
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in shape) + "]"


def _braced(aliases: object) -> str:
    return "{" + ",".join(sorted(aliases)) + "}"  # type: ignore[call-overload]
