"""From what a user names to the plain function whose source AutoGraph reads."""

import functools
import inspect
import types
from dataclasses import dataclass, replace
from typing import Any

from graphmode.errors import GraphmodeError
from graphmode.view.autograph import (
    is_do_not_convert,
    is_graph_function,
    is_passed_by_module,
    is_unsupported,
)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A function, with what its wrapping says about it."""

    name: str
    function: types.FunctionType
    owner: Any = None
    """The instance that a method is bound to, else the class that it is of, else None."""
    graph_function: Any = None
    """The `tf.function` around it, if there is one."""
    kept_as_is: str | None = None
    """Why AutoGraph is told not to convert it, if it is."""

    @property
    def features(self) -> Any:  # noqa: ANN401
        """AutoGraph features that its `tf.function` asks for."""
        return getattr(self.graph_function, "_experimental_autograph_options", None)

    @property
    def caller(self) -> type | None:
        """The library class that calls this method itself, as Keras calls `call`.

        What such a library calls AutoGraph never sees, unless the method is a `tf.function`.
        """
        if self.graph_function is not None or self.owner is None:
            return None
        owner = self.owner if inspect.isclass(self.owner) else type(self.owner)
        name = self.function.__name__
        bases = (base for base in owner.__mro__[1:] if name in vars(base))
        return next((base for base in bases if is_passed_by_module(base)), None)


def find_subject(target: object, name: str, parent: object = None) -> Subject:
    """Unwrap a function, method, `tf.function`, partial or callable object.

    Args:
        target: what the user named.
        name: how the user named it, for messages.
        parent: the class that `target` was read from, if it was.

    Raises:
        GraphmodeError: there is no Python function in it.
    """
    if isinstance(target, functools.partial):
        return find_subject(target.func, name)
    if is_graph_function(target):
        return _of_graph_function(target, name, parent)
    if inspect.ismethod(target):
        return _of_method(target, name)
    if inspect.isfunction(target):
        return _of_function(target, name, parent)
    if inspect.isclass(target):
        raise GraphmodeError(f"{name} is a class: name one of its methods, as {name}.call")
    if hasattr(target, "structured_input_signature"):
        raise GraphmodeError(
            f"{name} is a concrete function, which keeps no source: name its tf.function"
        )
    if callable(target) and is_unsupported(target) and hasattr(target, "__wrapped__"):
        return _of_opaque_wrapper(target, name)
    return _of_callable_object(target, name)


def _of_graph_function(target: Any, name: str, parent: object) -> Subject:  # noqa: ANN401
    inner = target.python_function
    # A tf.function read from an instance wraps a method of a stand-in that holds it weakly.
    wrapped = getattr(inner, "__wrapped__", None)
    bound = wrapped if inspect.ismethod(wrapped) else inner
    stand_in = getattr(bound, "__self__", None)
    owner = getattr(stand_in, "target", stand_in)
    function = getattr(bound, "__func__", bound)
    if not inspect.isfunction(function):
        raise GraphmodeError(f"{name} is a tf.function of a {type(function).__name__}")
    converts = getattr(target, "_autograph", True)
    return Subject(
        name=name,
        function=function,
        owner=_class_of_method(name, parent) if owner is None else owner,
        graph_function=target,
        kept_as_is=None if converts else "its tf.function says autograph=False",
    )


def _of_method(method: types.MethodType, name: str) -> Subject:
    return replace(find_subject(method.__func__, name), owner=method.__self__)


def _of_function(function: types.FunctionType, name: str, parent: object) -> Subject:
    owner = _class_of_method(name, parent)
    if not is_do_not_convert(function):
        return Subject(name=name, function=function, owner=owner)
    return Subject(
        name=name,
        function=inspect.unwrap(function),
        owner=owner,
        kept_as_is="it is decorated with do_not_convert",
    )


def _class_of_method(name: str, parent: object) -> type | None:
    """The class whose instance the first parameter will be; None for a static method."""
    if not isinstance(parent, type):
        return None
    static = inspect.getattr_static(parent, name.rpartition(".")[2], None)
    return None if isinstance(static, staticmethod) else parent


def _of_opaque_wrapper(target: Any, name: str) -> Subject:  # noqa: ANN401
    wrapper = type(target).__name__
    return Subject(
        name=name,
        function=inspect.unwrap(target),
        kept_as_is=f"it is wrapped in {wrapper}, which AutoGraph does not look through",
    )


def _of_callable_object(target: Any, name: str) -> Subject:  # noqa: ANN401
    """A layer or model is asked for its `call`, another object for its `__call__`."""
    cls = type(target)
    is_layer = hasattr(cls, "call") and callable(target) and is_passed_by_module(cls.__call__)
    method = "call" if is_layer else "__call__"
    found = getattr(target, method, None)
    if inspect.ismethod(found) or is_graph_function(found):
        return find_subject(found, f"{name}.{method}")
    raise GraphmodeError(f"{name} is a {cls.__name__}, not a Python function")
