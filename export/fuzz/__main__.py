"""`python -m export.fuzz SAVED_MODEL`: sends a model requests that nobody should send.

A process of its own, because a model that ends a server ends it too. Each line of stdout is one
JSON object: a line with `begins` comes before each step, so that the request that ended the
process is known. `export.fuzz.fuzzing` reads them.
"""

import json
import os
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from export.errors import ExportError

_MORE_MEMORY_BYTES = 2 << 30
"""What requests may take beyond the loaded model; an allocation beyond it is an error."""


@dataclass(frozen=True, kw_only=True)
class FuzzConfig:
    """Send a SavedModel random malformed and odd requests, each named on stdout before it goes."""

    saved_model: tyro.conf.Positional[Path]
    """A version's folder."""

    requests: int = 2000
    """How many, over all signatures."""

    seed: int = 0
    """The same seed sends the same requests."""

    signature: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """Only this signature; may be given several times."""

    budget_s: float = 240.0
    """Sends no more after so many seconds."""


def main(arguments: list[str]) -> int:
    """Fuzzes; 0 when the process outlived it, 2 where the model does not load."""
    config = tyro.cli(
        FuzzConfig, prog="python -m export.fuzz", args=arguments, use_underscores=True
    )
    # TensorFlow takes seconds to import, which a wrong flag need not wait for.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    import tensorflow as tf  # noqa: PLC0415

    from export.fuzz.open_graph import opened  # noqa: PLC0415

    with ExitStack() as stack:
        try:
            session, signatures = stack.enter_context(opened(config.saved_model))
            inputs = _inputs(signatures, config.signature)
        except (ExportError, tf.errors.OpError, OSError, RuntimeError, ValueError) as error:
            _print(unfit=f"{config.saved_model}: {error}")
            return 2
        _bound_memory()
        if inputs:
            _send(session, signatures, inputs, config)
    return 0


def _send(
    session: Any,  # noqa: ANN401
    signatures: Mapping[str, Any],
    inputs: Mapping[str, Any],
    config: FuzzConfig,
) -> None:
    import tensorflow as tf  # noqa: PLC0415 - as above

    from export.fuzz.example_features import wanted_example  # noqa: PLC0415
    from export.fuzz.requests import planned  # noqa: PLC0415

    deadline_s = time.monotonic() + config.budget_s
    example = wanted_example(session.graph.as_graph_def())
    requests = planned(inputs, config.requests, config.seed, example)
    for index, request in enumerate(requests):
        if time.monotonic() > deadline_s:
            return
        _print(begins={"index": index, **request.described()})
        try:
            signatures[request.signature].send(session, request.values)
            _print(outcome="answered")
        except tf.errors.OpError as error:
            _print(outcome=type(error).__name__)


def _inputs(signatures: Mapping[str, Any], only: Sequence[str]) -> dict[str, Any]:
    """The inputs to fill, by signature; without signatures that have none."""
    import tensorflow as tf  # noqa: PLC0415 - as above

    from export.fuzz.requests import Input  # noqa: PLC0415
    from export.fuzz.values import can_be_sent  # noqa: PLC0415

    unknown = sorted(set(only) - set(signatures))
    if unknown:
        raise ExportError(f"no signature {unknown[0]!r}; there is {', '.join(signatures)}")
    found = {}
    for name in only or signatures:
        infos = {alias: signatures[name].inputs[alias] for alias in signatures[name].placeholders}
        dtypes = {alias: tf.dtypes.as_dtype(info.dtype) for alias, info in infos.items()}
        if infos and all(can_be_sent(dtype) for dtype in dtypes.values()):
            found[name] = [
                Input(alias=alias, dtype=dtypes[alias], declared=_declared(info.tensor_shape))
                for alias, info in sorted(infos.items())
            ]
    return found


def _declared(shape: Any) -> tuple[int | None, ...] | None:  # noqa: ANN401
    if shape.unknown_rank:
        return None
    return tuple(None if dim.size < 0 else dim.size for dim in shape.dim)


def _bound_memory() -> None:
    """A number that says how large a tensor shall be must not take the machine's memory."""
    loaded_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (loaded_bytes + _MORE_MEMORY_BYTES, hard))


def _print(**line: Any) -> None:  # noqa: ANN401
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
