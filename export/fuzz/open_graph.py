"""A SavedModel in a V1 session, its inputs fed through placeholders of unknown shape.

    request --> placeholder (any shape) --> what the signature's input led to --> outputs

Python's side of a session would itself refuse a wrong rank. Behind these placeholders a tensor
reaches the model whatever its shape, as it does in TensorFlow Serving.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tensorflow as tf

from export.errors import ExportError
from export.guard.saved_model_file import read_saved_model

SERVE = "serve"
_OPTIONS = tf.compat.v1.RunOptions(timeout_in_ms=20_000)


@dataclass(frozen=True, kw_only=True)
class OpenSignature:
    """What to feed and to fetch."""

    inputs: Mapping[str, Any]
    """TensorInfo by alias."""

    placeholders: Mapping[str, tf.Tensor]
    """By alias; without the inputs that nothing in the graph reads."""

    fetches: Mapping[str, Any]
    """Tensors by alias."""

    def run(self, session: tf.compat.v1.Session, values: Mapping[str, Any]) -> dict[str, Any]:
        """Sends arrays, of whatever dtype and shape, by alias; returns the outputs by alias.

        Raises:
            tf.errors.OpError: the model refuses them, or takes more than 20 s.
        """
        answers = self._run(session, list(self.fetches.values()), values)
        return dict(zip(self.fetches, answers, strict=True))

    def send(self, session: tf.compat.v1.Session, values: Mapping[str, Any]) -> None:
        """The same, without a copy of the outputs for Python, which may be large."""
        computed = [each.op for each in self.fetches.values() if each.op.type != "Placeholder"]
        self._run(session, computed, values)

    def _run(
        self, session: tf.compat.v1.Session, wanted: list[Any], values: Mapping[str, Any]
    ) -> list[Any]:
        feeds = {self.placeholders[alias]: value for alias, value in values.items()}
        try:
            if all(tensor.dtype == _dtype_of(value) for tensor, value in feeds.items()):
                return list(session.run(wanted, feeds, options=_OPTIONS))
            # `session.run` would itself convert or refuse an array of another dtype.
            raw = {tensor.ref(): value for tensor, value in feeds.items()}
            fetches = [each for each in wanted if isinstance(each, tf.Tensor)]
            targets = [each for each in wanted if isinstance(each, tf.Operation)]
            return list(session._do_run(None, targets, fetches, raw, None, None))  # noqa: SLF001
        except UnicodeDecodeError as error:
            # Python's TensorFlow cannot raise an error whose message quotes bytes of the request.
            message = error.object.decode(errors="replace")
            raise tf.errors.InvalidArgumentError(None, None, message) from error


@contextmanager
def opened(folder: Path) -> Iterator[tuple[tf.compat.v1.Session, dict[str, OpenSignature]]]:
    """A session with the MetaGraph that servers take, and its signatures.

    Raises:
        ExportError: there is no such folder, or it holds no SavedModel with the tag `serve`.
        tf.errors.OpError, OSError, RuntimeError, ValueError: what TensorFlow's loader raises.
    """
    meta_graph = served_meta_graph(folder)
    signatures = served_signatures(meta_graph)
    read = _read_tensors(meta_graph.graph_def)
    infos = {
        info.name: info
        for signature in signatures.values()
        for info in signature.inputs.values()
        if info.name in read
    }
    config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
    with tf.Graph().as_default(), tf.compat.v1.Session(config=config) as session:
        behind = {
            name: tf.compat.v1.placeholder(tf.dtypes.as_dtype(info.dtype))
            for name, info in infos.items()
        }
        tf.compat.v1.saved_model.load(session, [SERVE], str(folder), input_map=behind)
        opened_signatures = {
            name: _open(signature, behind, session.graph) for name, signature in signatures.items()
        }
        yield session, opened_signatures


def served_meta_graph(folder: Path) -> Any:  # noqa: ANN401
    """The MetaGraph with the tag `serve` and no other.

    Raises:
        ExportError: there is none.
    """
    for meta_graph in read_saved_model(folder).saved_model.meta_graphs:
        if list(meta_graph.meta_info_def.tags) == [SERVE]:
            return meta_graph
    raise ExportError(f"{folder}: no MetaGraph has the tag {SERVE!r}, which servers load")


def served_signatures(meta_graph: Any) -> dict[str, Any]:  # noqa: ANN401
    """The signatures that clients may call, without TensorFlow's own `__saved_model_init_op`."""
    definitions = sorted(meta_graph.signature_def.items())  # a proto's map has no order
    return {name: signature for name, signature in definitions if not name.startswith("__")}


def _open(signature: Any, behind: Mapping[str, tf.Tensor], graph: tf.Graph) -> OpenSignature:  # noqa: ANN401
    return OpenSignature(
        inputs=dict(signature.inputs),
        placeholders={
            alias: behind[info.name]
            for alias, info in signature.inputs.items()
            if info.name in behind
        },
        fetches={
            # A signature may hand an input back.
            alias: behind[info.name] if info.name in behind else graph.get_tensor_by_name(info.name)
            for alias, info in signature.outputs.items()
        },
    )


def _dtype_of(value: Any) -> tf.DType:  # noqa: ANN401
    return tf.string if value.dtype == object else tf.dtypes.as_dtype(value.dtype)


def _read_tensors(graph_def: Any) -> set[str]:  # noqa: ANN401
    """The tensors that some node reads: only these can be put behind a placeholder."""
    names = {name for node in graph_def.node for name in node.input if not name.startswith("^")}
    return {name if ":" in name else f"{name}:0" for name in names}
