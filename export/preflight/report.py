"""Everything that the check has to say about one SavedModel."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from export.preflight.finding import Finding


@dataclass(frozen=True, kw_only=True)
class TensorListing:
    """An input or output."""

    dtype: str
    shape: tuple[int | None, ...] | None
    """Open dimensions None; None where the rank is open, too."""


@dataclass(frozen=True, kw_only=True)
class SignatureListing:
    """What clients may call."""

    method: str
    inputs: Mapping[str, TensorListing]
    outputs: Mapping[str, TensorListing]


@dataclass(frozen=True, kw_only=True)
class Report:
    """The version that was checked, its signatures, a finding for each check."""

    saved_model: str
    """The folder of the version; of the model, where no version was found."""

    signatures: Mapping[str, SignatureListing]
    findings: tuple[Finding, ...]

    @property
    def failing(self) -> list[str]:
        """Names of the checks that say FAILS."""
        return [finding.name for finding in self.findings if finding.verdict == "FAILS"]


def listed(signatures: Mapping[str, Any]) -> dict[str, SignatureListing]:
    """Describes SignatureDefs."""
    return {
        name: SignatureListing(
            method=signature.method_name,
            inputs={alias: _tensor(info) for alias, info in sorted(signature.inputs.items())},
            outputs={alias: _tensor(info) for alias, info in sorted(signature.outputs.items())},
        )
        for name, signature in sorted(signatures.items())
    }


def _tensor(info: Any) -> TensorListing:  # noqa: ANN401
    shape = None
    if not info.tensor_shape.unknown_rank:
        shape = tuple(None if dim.size < 0 else dim.size for dim in info.tensor_shape.dim)
    return TensorListing(dtype=tf.dtypes.as_dtype(info.dtype).name, shape=shape)
