"""GM404 to GM406: an `input_signature` that does not fit the function or its calls."""

import ast
from collections.abc import Iterator

from graphmode.lint.roots import Root, positional_parameters, signature_of
from graphmode.lint.rule import Fault, File, Rule
from graphmode.lint.source import Function, own_nodes

_MODELS = ("keras.Model", "keras.Sequential", "keras.Layer", "collections.abc.Callable")


def _with_signature(file: File) -> Iterator[tuple[Root, list[ast.expr]]]:
    for function in file.functions:
        root = function.root
        if function.node is root.function:
            specs = signature_of(file.source, root.keywords.get("input_signature"))
            if specs is not None:
                yield root, specs


def _misfits(file: File) -> Iterator[Fault]:
    for root, specs in _with_signature(file):
        given = root.function.args
        positional = _bound_positional(file, root.function)
        required = positional[: len(positional) - len(given.defaults)]
        if len(specs) < len(required):
            missing = required[len(specs)].arg
            yield root.at, f"no spec for `{missing}`: TypeError when the function is decorated"
        elif len(specs) > len(positional) and given.vararg is None:
            extra = len(specs) - len(positional)
            yield (
                root.at,
                f"{extra} more specs than parameters: TypeError when the function is decorated",
            )
        for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
            if default is None:
                yield root.at, f"keyword-only `{argument.arg}` has no default: TypeError"


def _bound_positional(file: File, function: Function) -> list[ast.arg]:
    """Parameters that the signature must cover: all but a first one literally named self."""
    positional = [*function.args.posonlyargs, *function.args.args]
    is_method = file.source.class_of(function) is not None
    return (
        positional[1:]
        if is_method or (positional[:1] and positional[0].arg == "self")
        else positional
    )


def _python_parameters(file: File) -> Iterator[Fault]:
    for root, specs in _with_signature(file):
        positional = positional_parameters(file.source, root.function)
        # Where the numbers differ nobody knows which spec was meant for which: GM404.
        covered = positional if len(positional) == len(specs) else []
        called = {
            node.func.id
            for node in own_nodes(root.function)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        for argument in covered:
            annotation = file.source.meaning(argument.annotation) if argument.annotation else None
            if argument.arg in called or annotation in _MODELS:
                yield (
                    argument,
                    f"`{argument.arg}` has a TensorSpec and is used as a function or model",
                )


def _pinned_defaults(file: File) -> Iterator[Fault]:
    for root, specs in _with_signature(file):
        positional = positional_parameters(file.source, root.function)
        pinned = {
            argument.arg: default
            for argument, default in _defaults(root.function)
            if argument not in positional[: len(specs)]
        }
        for node in file.source.nodes:
            if isinstance(node, ast.Call) and file.source.definition(node.func) is root.function:
                yield from _other_values(node, pinned)


def _defaults(function: Function) -> Iterator[tuple[ast.arg, ast.expr]]:
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    without = len(positional) - len(given.defaults)
    yield from zip(positional[without:], given.defaults, strict=True)
    for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        if default is not None:
            yield argument, default


def _other_values(call: ast.Call, pinned: dict[str, ast.expr]) -> Iterator[Fault]:
    for keyword in call.keywords:
        match pinned.get(keyword.arg or ""), keyword.value:
            case ast.Constant(value=default), ast.Constant(value=given) if default != given:
                yield call, f"`{keyword.arg}` has no spec and so stays {default!r}: TypeError"


RULES = (
    Rule(
        "GM404",
        "an input_signature that does not fit the parameters",
        "close over model and optimizer, or make it a method: only tensors have specs",
        _misfits,
    ),
    Rule(
        "GM405",
        "a Python object among the parameters with a spec",
        "close over the object; keep only tensors as parameters",
        _python_parameters,
    ),
    Rule(
        "GM406",
        "a default beside input_signature, called with another value",
        "make one tf.function for each value, or pass the value as a tensor with a spec",
        _pinned_defaults,
    ),
)
