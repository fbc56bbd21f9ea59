"""What the server does for a request, in no protocol's words: the transports only convert."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from serving.caller import Caller
from serving.errors import Fault, ServingError
from serving.messages import meta_graph_pb2
from serving.models.store import ModelStore, VersionStatus
from serving.runtime.signature import DEFAULT_SIGNATURE, Signature
from serving.runtime.tensors import Tensor

InputReader = Callable[[Signature], Mapping[str, Tensor]]


@dataclass(frozen=True, kw_only=True)
class ModelSpec:
    """The model, version and signature that a request names."""

    name: str
    version: int | None = None
    """None takes the newest version."""

    label: str | None = None
    """Names a version in place of the number."""

    signature_name: str = ""
    """Empty means `serving_default`."""


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """The outputs of a signature, by alias, and which version gave them."""

    outputs: Mapping[str, Tensor]
    version: int
    signature: Signature


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """The signatures of a version as the SavedModel defines them."""

    version: int
    signature_defs: Mapping[str, meta_graph_pb2.SignatureDef]


class Service:
    """Predict, metadata and status over the models of one store."""

    def __init__(self, store: ModelStore) -> None:
        self.store = store

    def predict(
        self,
        spec: ModelSpec,
        read_inputs: InputReader,
        output_filter: Sequence[str] = (),
        caller: Caller | None = None,
    ) -> Prediction:
        """Run a signature.

        Args:
            spec: which model, version and signature.
            read_inputs: gives the inputs by alias, once the signature that they are for is known.
            output_filter: the outputs to compute; all when empty.
            caller: who waits for the answer; None waits for ever.

        Raises:
            ServingError: the model, version or signature is not there, or the inputs are refused.
        """
        with self.store.servable(_named(spec), spec.version, spec.label) as servable:
            name = spec.signature_name or DEFAULT_SIGNATURE
            signature = servable.signature(name)
            if signature is None:
                raise UnknownSignatureError(name)
            outputs = servable.predict(signature, read_inputs(signature), output_filter, caller)
            return Prediction(outputs=outputs, version=servable.version, signature=signature)

    def metadata(self, spec: ModelSpec) -> Metadata:
        """The signatures of a version.

        Raises:
            ServingError: there is no such version.
        """
        with self.store.servable(_named(spec), spec.version, spec.label) as servable:
            return Metadata(version=servable.version, signature_defs=servable.signature_defs)

    def statuses(self, name: str, version: int | None = None) -> list[VersionStatus]:
        """The versions of a model, newest first.

        Raises:
            ServingError: NOT_FOUND, there is no such model or version.
        """
        return self.store.statuses(name, version)


class UnknownSignatureError(ServingError):
    """The model has no signature of that name; each transport has its own sentence for it."""

    def __init__(self, name: str) -> None:
        super().__init__(Fault.FAILED_PRECONDITION, f'Serving signature key "{name}" not found.')
        self.name = name


def _named(spec: ModelSpec) -> str:
    if not spec.name:
        raise ServingError(Fault.INVALID_ARGUMENT, "ModelSpec has no name specified.")
    return spec.name
