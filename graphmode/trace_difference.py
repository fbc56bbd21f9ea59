"""What differs between the arguments of two traces of one function, and how to make it one.

TensorFlow keeps a trace for each combination of argument types, where a Python value is its own
type: that is what is compared here, argument by argument, down to the parts of lists and dicts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

Signature = Mapping[str, Any]
"""An argument's TensorFlow trace type by the argument's name."""


@dataclass(frozen=True)
class Difference:
    """One part of the arguments that two traces have otherwise."""

    where: str
    before: str
    after: str
    cure: str

    def __str__(self) -> str:
        return f"{self.where}: {self.before} -> {self.after}: {self.cure}"


def signatures(function: Any) -> tuple[Signature, ...]:  # noqa: ANN401
    """The argument types of each trace that a `tf.function` has kept, in the order of tracing."""
    # TensorFlow 2.21 has no public list of a function's traces, only a printed one.
    traces = function._list_all_concrete_functions()  # noqa: SLF001
    return tuple(
        {name: one.type_constraint for name, one in trace.function_type.parameters.items()}
        for trace in traces
    )


def differences_from_nearest(signature: Signature, earlier: Sequence[Signature]) -> list[str]:
    """Say what sets a trace apart from the one of the earlier ones that it is most like."""
    found = [list(_of_arguments(other, signature)) for other in earlier]
    nearest = min(found, key=len)
    if not nearest:
        return ["the arguments are those of an earlier trace, whose captured variables are gone"]
    return [str(difference) for difference in nearest]


def _of_arguments(before: Signature, after: Signature) -> Iterator[Difference]:
    for name in {**before, **after}:
        if name not in before or name not in after:
            first, second = (
                _said(side[name]) if name in side else "not given" for side in (before, after)
            )
            yield Difference(name, first, second, "give the same arguments in each call")
        else:
            yield from _between(name, before[name], after[name])


def _between(where: str, before: Any, after: Any) -> Iterator[Difference]:  # noqa: ANN401
    if before == after:
        return
    if isinstance(before, tf.TensorSpec) and isinstance(after, tf.TensorSpec):
        yield Difference(where, _said(before), _said(after), _tensor_cure(before, after))
        return
    parts = _parts(before), _parts(after)
    if type(before) is type(after) and parts[0] and parts[0].keys() == parts[1].keys():
        for key in parts[0]:
            yield from _between(f"{where}[{key!r}]", parts[0][key], parts[1][key])
        return
    yield Difference(where, _said(before), _said(after), _cure(before, after))


def _parts(kind: Any) -> Mapping[Any, Any]:  # noqa: ANN401
    """The parts of a list's, tuple's or dict's type; nothing of another."""
    if hasattr(kind, "mapping"):
        return dict(kind.mapping)
    kind = getattr(kind, "components_tuple", kind)
    if hasattr(kind, "components") and not isinstance(kind, tf.TypeSpec):
        return dict(enumerate(kind.components))
    return {}


def _tensor_cure(before: tf.TensorSpec, after: tf.TensorSpec) -> str:
    if before.dtype != after.dtype:
        return (
            f"tf.cast to one dtype before the call, or name {before.dtype.name} in input_signature"
        )
    if before.shape.rank is None or before.shape.rank != after.shape.rank:
        return "give tensors of one rank"
    axes = [
        str(axis)
        for axis, (first, second) in enumerate(zip(before.shape, after.shape, strict=True))
        if first != second
    ]
    return (
        f"input_signature with None in axis {' and '.join(axes)}, reduce_retracing=True, or "
        "padding to few sizes"
    )


def _cure(before: Any, after: Any) -> str:  # noqa: ANN401
    values = [kind.value for kind in (before, after) if _is_literal(kind)]
    if len(values) == 2 and all(isinstance(value, int | float | str | bytes) for value in values):
        return (
            "each Python value is a trace: pass tf.constant(...), or take it from input_signature"
        )
    if isinstance(before, tf.TensorSpec) or isinstance(after, tf.TensorSpec):
        return "a tensor in one call, a Python value in another: pass a tensor in each"
    if _parts(before) or _parts(after):
        return "another structure is another trace: pass lists, tuples and dicts of one form"
    return "each Python object is a trace: make it once, outside of the calls, or close over it"


def _is_literal(kind: Any) -> bool:  # noqa: ANN401
    return type(kind).__name__ == "Literal"


def _said(kind: Any) -> str:  # noqa: ANN401
    if isinstance(kind, tf.TensorSpec):
        shape = "unknown shape" if kind.shape.rank is None else list(kind.shape)
        return f"{kind.dtype.name} {shape}"
    if _is_literal(kind):
        return repr(kind.value)
    if parts := _parts(kind):
        word = type(kind).__name__.lower()
        return f"{word} of {len(parts)}"
    return f"a {type(kind).__name__}"
