"""The Python values that a function reads beside its arguments, and how to set them."""

import dis
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from types import CodeType, FunctionType
from typing import Any

import numpy as np
import tensorflow as tf


@dataclass(frozen=True)
class Read:
    """One value that a function reads: a global, a closure's cell or an attribute of `self`."""

    name: str
    value: Any
    set: Callable[[Any], None]


def bare(function: Any) -> tuple[Any, Any]:  # noqa: ANN401
    """Give a function without its `tf.function`, and the instance it is bound to, or None."""
    python = inspect.unwrap(getattr(function, "python_function", function))
    owner = getattr(python, "__self__", None)
    # TensorFlow keeps the instance of a decorated method behind a weak reference.
    owner = getattr(owner, "target", owner)
    return getattr(python, "__func__", python), owner


def reads_of(function: Any) -> list[Read]:  # noqa: ANN401
    """Find what a function, and those of its module or instance that it calls, read by name."""
    found: dict[str, Read] = {}
    _visit(*bare(function), found, set())
    return list(found.values())


def perturbed(value: Any) -> Any:  # noqa: ANN401
    """Give another value of the same type; None for a type that is left alone."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float | np.number):
        return value + 1
    if isinstance(value, str):
        return value + "_"
    if isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.number):
        return value + 1
    return None


def variables_in(reads: list[Read]) -> list[Any]:
    """Give the TensorFlow variables among what is read, and those of modules and Keras models."""
    found = []
    for read in reads:
        if isinstance(read.value, tf.Variable):
            found.append(read.value)
        elif isinstance(getattr(read.value, "variables", None), list | tuple):
            found += read.value.variables
    return found


def _visit(function: Any, owner: Any, found: dict[str, Read], seen: set[CodeType]) -> None:  # noqa: ANN401
    if not isinstance(function, FunctionType) or function.__code__ in seen:
        return
    seen.add(function.__code__)
    for read in (*_globals(function), *_cells(function), *_attributes(function, owner)):
        callee, callee_owner = bare(read.value) if callable(read.value) else (None, None)
        if not isinstance(callee, FunctionType):
            found.setdefault(read.name, read)
        elif callee.__module__ == function.__module__:
            _visit(callee, callee_owner, found, seen)


def _globals(function: FunctionType) -> Iterator[Read]:
    scope = function.__globals__
    for name in sorted(_names(function.__code__, "LOAD_GLOBAL") & scope.keys()):
        yield Read(f"global {name}", scope[name], partial(scope.__setitem__, name))


def _cells(function: FunctionType) -> Iterator[Read]:
    names = function.__code__.co_freevars
    for name, cell in zip(names, function.__closure__ or (), strict=True):
        try:
            value = cell.cell_contents
        except ValueError:  # not yet assigned
            continue
        yield Read(f"closure {name}", value, partial(setattr, cell, "cell_contents"))


def _attributes(function: FunctionType, owner: Any) -> Iterator[Read]:  # noqa: ANN401
    names = _names(function.__code__, "LOAD_ATTR") | _names(function.__code__, "LOAD_METHOD")
    for name in sorted(names if owner is not None else ()):
        if name in getattr(owner, "__dict__", {}) or inspect.isroutine(getattr(owner, name, None)):
            yield Read(
                f"attribute {name}",
                getattr(owner, name),
                partial(setattr, owner, name),
            )


def _names(code: CodeType, operation: str) -> set[str]:
    names = {one.argval for one in dis.get_instructions(code) if one.opname == operation}
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return names.union(*(_names(one, operation) for one in inner))
