"""A function's trace: which line of source became which control flow of the graph.

An op remembers the Python stack that made it, and AutoGraph puts the reader's lines into that
stack in place of its own. So the innermost line outside of TensorFlow is the one that the op is of.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tensorflow as tf

from graphmode.view.control_flow import IF_OPS, LOOP_OPS
from graphmode.view.source import Source
from graphmode.view.spec_text import spec_text
from graphmode.view.subject import Subject

_SHOWN_OPS = IF_OPS | LOOP_OPS | {"LogicalNot"}
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_LIBRARIES = tuple(
    str(Path(file).parent) + "/" for file in (tf.__file__, tf.keras.__file__) if file
)


@dataclass(frozen=True, kw_only=True)
class Trace:
    """What one trace showed."""

    signature: str
    """The function that was traced, with what it was traced for: `f([None]:float32)`."""
    error: str | None = None
    """Why it could not be traced."""
    ops: tuple[tuple[str, int, str], ...] = ()
    """Each op of control flow: the file and line that it came from, its type."""

    def op_at(self, source: Source, line: int, kinds: frozenset[str]) -> str | None:
        """The type of op of these kinds that came from the statement that begins at a line."""
        from_file = ((at, op) for file, at, op in self.ops if file == source.file and op in kinds)
        return next((op for at, op in from_file if source.statement_line(at) == line), None)


def trace(subject: Subject, specs: Sequence[tf.TensorSpec]) -> Trace | None:
    """Trace a function, without running it; None where nothing says for which inputs.

    Args:
        subject: the function.
        specs: one for each argument; empty takes the function's own `input_signature`.
    """
    signature = getattr(subject.graph_function, "input_signature", None)
    if not specs and signature is None:
        return None
    texts = [spec_text(spec) for spec in (specs or tf.nest.flatten(signature))]
    text = f"{subject.name}({', '.join(texts)})"
    if isinstance(subject.owner, type):
        why = "a method is traced with its instance: name it as module:instance.method"
        return Trace(signature=text, error=why)
    try:
        graph = _traceable(subject).get_concrete_function(*specs).graph
    except Exception as error:  # noqa: BLE001 (whatever the reader's code raises while traced)
        return Trace(signature=text, error=_what_happened(error))
    return Trace(signature=text, ops=tuple(_ops_of(graph)))


def _traceable(subject: Subject) -> Any:  # noqa: ANN401
    if subject.graph_function is not None:
        return subject.graph_function
    if subject.caller is not None and subject.function.__name__ == "call":
        owner = subject.owner

        # Not its `call`, which a tf.function of its own would convert and Keras does not.
        def called_by_library(*inputs: tf.Tensor) -> Any:  # noqa: ANN401
            return owner(*inputs)

        return tf.function(called_by_library)
    bound: Callable[..., Any] = subject.function
    if subject.owner is not None and not isinstance(subject.owner, type):
        bound = subject.function.__get__(subject.owner)
    is_converted = subject.kept_as_is is None and subject.caller is None
    return tf.function(bound, autograph=is_converted)


def _what_happened(error: Exception) -> str:
    """It stands at the end, after the stack that AutoGraph quotes.

    Keras writes the arguments behind it, and in bold.
    """
    message = _ANSI.sub("", str(error)).partition("Arguments received by")[0]
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    kind = type(error).__name__
    said = " ".join(lines[-2:])
    return said if kind in said else f"{kind}: {said}"


def _ops_of(graph: tf.Graph) -> Iterator[tuple[str, int, str]]:
    for op in _all_operations(graph, set()):
        if op.type in _SHOWN_OPS:
            yield *_line_of(op), op.type


def _line_of(op: tf.Operation) -> tuple[str, int]:
    frames = [frame for frame in op.traceback or () if not frame.filename.startswith(_LIBRARIES)]
    return (frames[-1].filename, frames[-1].lineno) if frames else ("", 0)


def _all_operations(graph: Any, seen: set[str]) -> Iterator[tf.Operation]:  # noqa: ANN401
    """The ops of a graph and of the function graphs that it calls, each once."""
    for op in graph.get_operations():
        yield op
        for name in _called(op):
            inner = graph._get_function(name) if name not in seen else None  # noqa: SLF001
            seen.add(name)
            if inner is not None and getattr(inner, "graph", None) is not None:
                yield from _all_operations(inner.graph, seen)


def _called(op: tf.Operation) -> list[str]:
    attributes = op.node_def.attr.values()
    single = [value.func.name for value in attributes if value.HasField("func")]
    listed = [func.name for value in attributes for func in value.list.func]
    return [*single, *listed]
