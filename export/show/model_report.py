"""All that is shown of a SavedModel, gathered."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from export.errors import ExportError
from export.guard.saved_model_file import newest_version, read_saved_model
from export.show.disk import WARMUP_FILE, labels_of, record_of, sizes_of
from export.show.graph_contents import Amount, OpFacts, constants_of, ops_of, variables_of
from export.show.signature_list import SignatureFacts, signatures_of
from export.show.warmup_list import WarmupFacts, warmup_of

_SERVED = ("serve",)
_DEFAULT = "serving_default"


@dataclass(frozen=True, kw_only=True)
class ModelReport:
    """What is in a SavedModel; as JSON, what `--json` prints."""

    folder: str
    """That of the version, where a model's folder was named."""

    signatures: list[SignatureFacts]
    sizes: dict[str, int]
    """Bytes on disk by part."""

    variables: dict[str, Amount]
    """By dtype, as stored."""

    constants: Amount
    """In the graph that servers take."""

    ops: OpFacts
    labels: list[str]
    warmup: list[WarmupFacts]
    record: dict[str, Any] | None
    """export.json, where this project made the model."""


def model_report(folder: Path, signature: str | None, files: Mapping[str, Path]) -> ModelReport:
    """Reads a SavedModel, or the newest version of a model, and runs one signature once.

    Args:
        folder: of either.
        signature: the one to run; None for `serving_default`, or else the first.
        files: inputs by name that are read from files.

    Raises:
        ExportError: there is no SavedModel, it is damaged, or it has no such signature.
    """
    if folder.is_dir():
        folder = newest_version(folder) or folder
    saved_model = read_saved_model(folder).saved_model
    if not saved_model.meta_graphs:
        raise ExportError(f"{folder} is an empty SavedModel: it has no MetaGraph")
    served = next(
        (each for each in saved_model.meta_graphs if tuple(each.meta_info_def.tags) == _SERVED),
        saved_model.meta_graphs[0],
    )
    return ModelReport(
        folder=str(folder),
        signatures=signatures_of(saved_model),
        sizes=sizes_of(folder),
        variables=variables_of(folder),
        constants=constants_of(served),
        ops=ops_of(folder, served, _chosen(served, signature, folder), files),
        labels=labels_of(folder),
        warmup=warmup_of(folder / WARMUP_FILE),
        record=record_of(folder),
    )


def _chosen(meta_graph: Any, signature: str | None, folder: Path) -> str:  # noqa: ANN401
    names = sorted(name for name in meta_graph.signature_def if not name.startswith("__"))
    if signature is None:
        return _DEFAULT if _DEFAULT in names else next(iter(names), "")
    if signature not in names:
        raise ExportError(
            f"{folder} has no signature {signature!r}: it has {', '.join(names) or 'none'}"
        )
    return signature
