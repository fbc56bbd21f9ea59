"""The facts of a `tf.function` or a concrete function."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tensorflow as tf

from graphmode.errors import GraphmodeError
from graphmode.graph.facts import GraphFacts, Variable
from graphmode.graph.optimised import run_and_read_graph, what_happened
from graphmode.graph.sample_inputs import sample_input
from graphmode.graph.stage import flattened, make_variable, stage_facts


def graph_facts(
    function: Any,  # noqa: ANN401
    inputs: Sequence[Any] = (),
    *,
    name: str | None = None,
    files: Mapping[str, Path] | None = None,
) -> GraphFacts:
    """Trace a function if need be, run it once, and say what TensorFlow made of its graph.

    It really runs: variables that it changes are changed.

    Args:
        function: a `tf.function`, a concrete function, or a Python function to be traced.
        inputs: tensors, or TensorSpecs to make tensors from; empty takes its `input_signature`.
        name: how to call it.
        files: inputs by name that are read from files; see `sample_input`.

    Raises:
        GraphmodeError: it cannot be traced, or nothing says for which inputs.
    """
    concrete = _concrete(function, inputs)
    signature = concrete.structured_input_signature
    values = _values(signature, inputs, files or {})
    before = list(flattened(concrete.graph.as_graph_def()))

    # The runtime tells a function's graph only when it first runs it. A new function around
    # this one, which grappler puts inline, has never run.
    def fresh(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401
        return concrete(*arguments, **named)

    arguments, named = signature
    runnable = tf.function(fresh, autograph=False).get_concrete_function(*arguments, **named)
    graph, failure = run_and_read_graph(lambda: runnable(*values[0], **values[1]))
    after = list(flattened(graph))
    return GraphFacts(
        name=name or _name(function),
        inputs=_described(signature, values),
        before=stage_facts(before),
        after=stage_facts(after),
        variables=tuple(_variable(variable) for variable in concrete.graph.variables),
        notes=(*_failure_note(failure), *_xla_note(after)),
        optimised=graph.SerializeToString(),
    )


def _concrete(function: Any, inputs: Sequence[Any]) -> Any:  # noqa: ANN401
    if hasattr(function, "structured_input_signature"):
        return function
    if not callable(function):
        raise GraphmodeError(f"expected a tf.function, got a {type(function).__name__}")
    is_traced = hasattr(function, "get_concrete_function")
    traceable = function if is_traced else tf.function(function)
    if not inputs and getattr(traceable, "input_signature", None) is None:
        raise GraphmodeError(
            f"{_name(function)} has no input_signature: say for which inputs, "
            'as --shape "[None,224,224,3]:float32", once for each argument'
        )
    try:
        return traceable.get_concrete_function(*inputs)
    except Exception as error:
        last = str(error).strip().splitlines()[-1:]
        raise GraphmodeError(
            f"{_name(function)} cannot be traced: {type(error).__name__}: {''.join(last).strip()}"
        ) from error


def _name(function: Any) -> str:  # noqa: ANN401
    name = getattr(function, "name", None) or getattr(function, "__name__", None)
    return name.decode() if isinstance(name, bytes) else str(name or type(function).__name__)


def _values(
    signature: tuple[Any, dict[str, Any]],
    inputs: Sequence[Any],
    files: Mapping[str, Path],
) -> tuple[Any, dict[str, Any]]:
    """The arguments to call with: what was given, else what can be made from the signature."""
    given = [value for value in tf.nest.flatten(inputs) if not isinstance(value, tf.TensorSpec)]
    wanted = [spec for spec in tf.nest.flatten(signature) if isinstance(spec, tf.TensorSpec)]
    tensors = iter(given if len(given) == len(wanted) else ())
    filled = [_value(spec, next(tensors, None), files) for spec in tf.nest.flatten(signature)]
    return tf.nest.pack_sequence_as(signature, filled)


def _value(spec: Any, given: Any, files: Mapping[str, Path]) -> Any:  # noqa: ANN401
    if not isinstance(spec, tf.TensorSpec):
        return spec
    value = sample_input(spec.name, spec, files) if given is None else given
    return tf.convert_to_tensor(value, spec.dtype)


def _described(signature: Any, values: Any) -> dict[str, str]:  # noqa: ANN401
    pairs = zip(tf.nest.flatten(signature), tf.nest.flatten(values), strict=True)
    return {
        spec.name: f"{list(value.shape)}:{value.dtype.name}"
        for spec, value in pairs
        if isinstance(spec, tf.TensorSpec)
    }


def _variable(variable: Any) -> Variable:  # noqa: ANN401
    return make_variable(variable.name, variable.dtype, tuple(variable.shape.as_list()))


def _failure_note(failure: Exception | None) -> list[str]:
    if failure is None:
        return []
    return [f"the run ended with {type(failure).__name__}: {what_happened(failure)}"]


def _xla_note(nodes: list[Any]) -> list[str]:
    if not any(node.attr["_XlaMustCompile"].b for node in nodes if "_XlaMustCompile" in node.attr):
        return []
    return ["XLA compiles a part of it: that part is shown as it was traced"]
