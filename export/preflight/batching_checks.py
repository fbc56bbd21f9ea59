"""Whether a server's batching goes together with the model's shapes."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from export.errors import ExportError
from export.preflight.batching_file import Batching, read_batching
from export.preflight.finding import Finding, fails, not_applicable, ok, warning
from export.preflight.trial import Answer, Trial

FILE, SHAPES = "batching parameters", "batching and shapes"
_BY_SCALAR = "has no batch dimension, so nothing can be joined to a batch"


def check_batching(path: Path | None, signatures: Mapping[str, Any], trial: Trial) -> list[Finding]:
    """One finding about the file, one about the file and the model.

    Args:
        path: a BatchingParameters textproto; None where none is given.
        signatures: SignatureDef by name.
        trial: its answers show the shapes that outputs have.
    """
    if path is None:
        return [not_applicable(name, "No --batching file is given.") for name in (FILE, SHAPES)]
    try:
        batching, wrong = read_batching(path)
    except ExportError as error:
        advice = "Write it as `max_batch_size { value: 8 }`, field by field."
        return [
            fails(FILE, f"{error}.", advice),
            not_applicable(SHAPES, "The --batching file cannot be read."),
        ]
    if wrong:
        found = fails(
            FILE,
            f"{'; '.join(wrong)}: the server does not load a model with it, or ends.",
            "Mend the file; the last of allowed_batch_sizes must equal max_batch_size.",
        )
    else:
        found = ok(FILE, f"{path} says at most {batching.max_batch_size} rows.")
    return [found, _check_shapes(batching, signatures, trial)]


def _check_shapes(batching: Batching, signatures: Mapping[str, Any], trial: Trial) -> Finding:
    wrong = [
        f"{name}.{why}"
        for name, signature in signatures.items()
        for why in (
            *_wrong_inputs(signature, batching),
            *_wrong_outputs(signature, trial.answers.get(name)),
        )
    ]
    if wrong:
        return fails(
            SHAPES,
            f"{'; '.join(wrong)}.",
            "Save it with a batch dimension that is open (None), first in every input and output; "
            "or serve it without --enable_batching.",
        )
    unknown = [
        f"{name}.{alias}"
        for name, signature in signatures.items()
        for alias, info in signature.inputs.items()
        if info.tensor_shape.unknown_rank
    ]
    if unknown:
        return warning(
            SHAPES,
            f"{', '.join(unknown)} is of any rank: a scalar would be refused, and requests of "
            "different shapes are not joined.",
            "Declare the input's shape, [None, ...].",
        )
    return ok(SHAPES, "Every input and output has an open batch dimension, or one that fits.")


def _wrong_inputs(signature: Any, batching: Batching) -> Iterator[str]:  # noqa: ANN401
    for alias, info in signature.inputs.items():
        first = _first_dimension(info)
        if first == "none":
            yield f"{alias} {_BY_SCALAR}"
        elif isinstance(first, int) and first != batching.only_size:
            yield (
                f"{alias} takes {first} rows and no other number, batches have {_sizes(batching)}"
            )


def _wrong_outputs(signature: Any, answer: Answer | None) -> Iterator[str]:  # noqa: ANN401
    firsts = {_first_dimension(info) for info in signature.inputs.values()}
    for alias, info in signature.outputs.items():
        first = _first_dimension(info)
        if first == "unknown" and answer is not None and alias in answer.outputs:
            shape = answer.outputs[alias]["shape"]
            first = shape[0] if shape else "none"
            first = "open" if first == answer.rows else first
        if first == "none":
            yield f"{alias} {_BY_SCALAR}"
        elif isinstance(first, int) and first not in firsts:
            yield f"{alias} has {first} rows whatever the batch, which cannot be split into replies"


def _first_dimension(info: Any) -> int | str:  # noqa: ANN401
    """Its size, or `open`; `none` for a scalar, `unknown` for any rank."""
    if info.tensor_shape.unknown_rank:
        return "unknown"
    if not info.tensor_shape.dim:
        return "none"
    size = info.tensor_shape.dim[0].size
    return "open" if size < 0 else int(size)


def _sizes(batching: Batching) -> str:
    if batching.allowed_batch_sizes:
        return f"one of {list(batching.allowed_batch_sizes)}"
    return f"1 to {batching.max_batch_size}"
