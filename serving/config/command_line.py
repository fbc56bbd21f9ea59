"""Command-line arguments into settings, in every spelling that TensorFlow and absl take."""

import ast
import dataclasses
import difflib
import inspect
import logging
import re

from serving.config.inapplicable_flags import INAPPLICABLE, InapplicableFlag
from serving.config.server_config import ServerConfig
from serving.errors import StartError

_log = logging.getLogger(__name__)

_BOOLS = dict.fromkeys(("true", "1", "t", "yes", "y"), True) | dict.fromkeys(
    ("false", "0", "f", "no", "n"), False
)


class UsageError(StartError):
    """The arguments cannot be read as flags: the usage helps."""


def parse_flags(arguments: list[str]) -> ServerConfig:
    """The settings in command-line arguments.

    `--name=value`, `-name=value`, `--name value`; for booleans also `--name` and `--noname`. The
    last of several goes. What cannot apply here is said in the log.

    Raises:
        UsageError: a flag is unknown, or its value is not of its type.
        StartError: a value is out of bounds, or two contradict each other.
    """
    kinds = {flag.name: flag.kind for flag in INAPPLICABLE} | {
        field.name: type(field.default) for field in dataclasses.fields(ServerConfig)
    }
    given: dict[str, object] = {}
    rest = list(arguments)
    while rest:
        name, text = _take(rest, kinds)
        given[name] = _value(name, text, kinds[name])
    for flag in INAPPLICABLE:
        if flag.name in given:
            _say_inapplicable(flag, given.pop(flag.name))
    return ServerConfig(**given)  # type: ignore[arg-type]


def usage() -> str:
    """Every flag by group: its name, default and meaning."""
    lines = ["usage: tf-model-server --model_base_path=DIR [--flag=value ...]"]
    for title, rows in flag_groups():
        lines += ["", f"{title}:"]
        for name, default, meaning in rows:
            lines += [f"  --{name}={default}", f"      {meaning}"]
    return "\n".join(lines)


def flags_as_markdown() -> str:
    """The tables of docs/server-flags.md."""
    parts = ["# The server's flags", "Written by `python -m serving.config`; do not edit."]
    for title, rows in flag_groups():
        table = ["| flag | default | meaning |", "|---|---|---|"]
        table += [
            f"| `--{name}` | {_code(default)} | {meaning} |" for name, default, meaning in rows
        ]
        parts += [f"## {title}", "\n".join(table)]
    return "\n\n".join(parts) + "\n"


def flag_groups() -> list[tuple[str, list[tuple[str, str, str]]]]:
    """Title and flags (name, default as text, meaning) of each group, in the order of help."""
    groups = []
    for group in reversed(ServerConfig.__bases__):
        docs = _field_docs(group)
        rows = [
            (field.name, _default_text(field), docs[field.name])
            for field in dataclasses.fields(group)
        ]
        groups.append(((inspect.getdoc(group) or "").rstrip("."), rows))
    inapplicable = [
        (
            flag.name,
            _shown(flag.default),
            f"{'Refused: ' if flag.is_refused else ''}{flag.reason}.",
        )
        for flag in INAPPLICABLE
    ]
    return [*groups, ("Without effect here", inapplicable)]


def _take(rest: list[str], kinds: dict[str, type]) -> tuple[str, str]:
    """The next flag's name and text, taken off the front of `rest`."""
    argument = rest.pop(0)
    if not re.match(r"--?[A-Za-z]", argument):
        raise UsageError(f"unknown argument: {argument}")
    name, equals, text = re.sub("^--?", "", argument).partition("=")
    if not equals and name.startswith("no") and kinds.get(name[2:]) is bool:
        return name[2:], "false"
    if name not in kinds:
        near = difflib.get_close_matches(name, kinds, n=1)
        hint = f" (did you mean --{near[0]}?)" if near else ""
        raise UsageError(f"unknown argument: {argument}{hint}")
    if equals:
        return name, text
    if kinds[name] is bool:
        return name, "true"
    if not rest:
        raise UsageError(f"flag --{name} needs a value")
    return name, rest.pop(0)


def _value(name: str, text: str, kind: type) -> object:
    try:
        if kind is bool:
            return _BOOLS[text.lower()]
        if kind is str:
            return text
        # int() would take 1_000, which TensorFlow does not.
        return kind(text.replace("_", "?"))
    except (KeyError, ValueError) as error:
        raise UsageError(f"Couldn't interpret value {text} for flag {name}.") from error


def _say_inapplicable(flag: InapplicableFlag, value: object) -> None:
    if value == flag.default:
        return
    sentence = f"--{flag.name}={_shown(value)} does not apply: {flag.reason}"
    if flag.is_refused:
        raise StartError(sentence)
    _log.warning("%s", sentence)


def _default_text(field: "dataclasses.Field[object]") -> str:
    # The same on every machine, so that the page does not depend on who writes it.
    return (
        "4 per core, at least 32"
        if field.name.endswith("_threads") and field.default
        else (_shown(field.default))
    )


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _field_docs(group: type) -> dict[str, str]:
    """The docstring below each field: the one place where a flag is explained."""
    body = ast.parse(inspect.getsource(group)).body[0]
    assert isinstance(body, ast.ClassDef)
    return {
        statement.target.id: ast.literal_eval(comment.value)
        for statement, comment in zip(body.body, body.body[1:], strict=False)
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and isinstance(comment, ast.Expr)
    }
