"""The one door to AutoGraph: what it makes of a function, and what it refuses.

`tf.autograph.to_graph` is public. Which generated line came from which line of source, and which
callables AutoGraph passes by, only private parts of TensorFlow say; they are those of 2.21.
"""

import functools
import inspect
import types
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import tensorflow as tf

from graphmode.errors import GraphmodeError

_MADE_BY_EXEC = "<string>"


@dataclass(frozen=True, kw_only=True)
class Generated:
    """The Python that AutoGraph wrote and traces in the function's place."""

    lines: tuple[str, ...]
    origins: tuple[int | None, ...]
    """For each line: the line of the source file that it was made from; None for scaffolding."""


def convert(function: types.FunctionType, features: Any = None) -> Generated:  # noqa: ANN401
    """Have AutoGraph convert a function, without calling it.

    Args:
        function: a plain function or lambda.
        features: the `experimental_autograph_options` of its `tf.function`.

    Raises:
        Unconverted: AutoGraph cannot convert it.
        GraphmodeError: this TensorFlow keeps its source map elsewhere.
    """
    if function.__code__.co_filename == _MADE_BY_EXEC:
        raise Unconverted("made by exec: AutoGraph passes by code without a source file")
    try:
        converted = tf.autograph.to_graph(function, experimental_optional_features=features)
    except Exception as error:
        raise Unconverted(_reason(error)) from error
    source_map = _private(lambda: converted.ag_source_map)
    lines, first = inspect.getsourcelines(converted.__code__)
    origins = {location.lineno: origin.loc.lineno for location, origin in source_map.items()}
    indent = len(lines[0]) - len(lines[0].lstrip())
    return Generated(
        lines=tuple(_without_indent(line, indent) for line in lines),
        origins=tuple(origins.get(first + index) for index in range(len(lines))),
    )


class Unconverted(Exception):  # noqa: N818 (an answer, not an error of the reader's)
    """Why AutoGraph left a function as it is, as a clause."""


def passed_by(callee: Any) -> str | None:  # noqa: ANN401
    """Say why converted code calls `callee` as it is; None where AutoGraph would convert it.

    The order is that of AutoGraph's own `converted_call`.
    """
    if isinstance(callee, functools.partial):
        return passed_by(callee.func)
    reasons = (reason for holds, reason in _PASSED_BY if holds(callee))
    reason = next(reasons, None)
    if reason is not None:
        return reason
    if _private(lambda: _rules().is_allowlisted(callee)):
        return _library_reason(callee)
    return None if hasattr(_code_owner(callee), "__code__") else "not written in Python"


def is_passed_by_module(entity: Any) -> bool:  # noqa: ANN401
    """Whether a class or function lives in a library that AutoGraph never converts."""
    return bool(_private(lambda: _rules().is_allowlisted(entity, check_call_override=False)))


def is_graph_function(candidate: Any) -> bool:  # noqa: ANN401
    """Whether an object is what `tf.function` returns."""
    return hasattr(candidate, "get_concrete_function") and hasattr(candidate, "python_function")


def is_do_not_convert(candidate: Any) -> bool:  # noqa: ANN401
    """Whether a function was decorated with `tf.autograph.experimental.do_not_convert`."""
    return hasattr(candidate, "autograph_info__")


def is_replaced_builtin(candidate: Any) -> bool:  # noqa: ANN401
    """Whether AutoGraph has its own version of a built-in function, as of `range` and `len`."""
    overloads = _private(
        lambda: import_module("tensorflow.python.autograph.operators.py_builtins")
    ).SUPPORTED_BUILTINS
    return any(candidate is builtin for builtin in overloads)


def is_unsupported(callee: Any) -> bool:  # noqa: ANN401
    """Whether AutoGraph never looks into a callable of this kind, as into an lru_cache."""
    return bool(_private(lambda: _rules().is_unsupported(callee)))


_PASSED_BY: tuple[tuple[Callable[[Any], bool], str], ...] = (
    (is_graph_function, "a tf.function: traced as a graph of its own"),
    (is_do_not_convert, "decorated with do_not_convert"),
    (inspect.isbuiltin, "built in"),
    (is_replaced_builtin, "built in"),
    (inspect.isclass, "a class: AutoGraph does not convert constructors"),
    (is_unsupported, "wrapped in what AutoGraph does not look through"),
    (inspect.isgeneratorfunction, "a generator"),
)


def _rules() -> Any:  # noqa: ANN401
    return import_module("tensorflow.python.autograph.impl.conversion")


def _private(read: Callable[[], Any]) -> Any:  # noqa: ANN401
    try:
        return read()
    except (ImportError, AttributeError) as error:
        raise GraphmodeError(
            f"view reads parts of AutoGraph that TensorFlow {tf.__version__} does not have "
            f"({error}): use TensorFlow 2.21, or read tf.autograph.to_code's text"
        ) from error


def _reason(error: Exception) -> str:
    cause = str(error.__cause__ or error)
    if "multiple definitions" in cause:
        return (
            "another lambda with the same parameters stands in the same lines, "
            "and AutoGraph cannot tell which is meant"
        )
    if "generators" in cause:
        return "a generator: AutoGraph does not convert them"
    if "Unable to locate the source code" in cause:
        return "no source file: AutoGraph converts source, not bytecode"
    return " ".join(cause.split())


def _library_reason(callee: Any) -> str:  # noqa: ANN401
    module = inspect.getmodule(callee)
    name = getattr(callee, "__module__", None) or getattr(module, "__name__", "")
    library = str(name).partition(".")[0]
    if is_passed_by_module(callee) and inspect.isroutine(callee):
        return f"of {library}, which AutoGraph does not convert"
    owner = type(callee)
    base = next((base for base in owner.__mro__ if is_passed_by_module(base)), owner)
    return (
        f"its __call__ is of {base.__module__.partition('.')[0]}, which AutoGraph does not convert"
    )


def _code_owner(callee: Any) -> Any:  # noqa: ANN401
    is_routine = inspect.isfunction(callee) or inspect.ismethod(callee)
    return callee if is_routine else type(callee).__call__


def _without_indent(line: str, indent: int) -> str:
    is_indented = line[:indent].isspace()
    return (line[indent:] if is_indented else line).rstrip("\n")
