"""JSON as TensorFlow Serving's parser and printer (RapidJSON) take and give it.

orjson does the work where its result is the same. Where it is not (NaN and Infinity, text after
the document, strings that are not UTF-8) a slower, exact path takes over.
"""

import json
import math
from collections.abc import Iterator
from typing import Any

import orjson

from serving.errors import Fault, ServingError

# TensorFlow Serving recurses without a bound, and 200 kB of brackets end its process.
MOST_NESTING = 256
MOST_DIGITS = 20  # of an integer of 64 bits, its sign counted
MOST_SHOWN = 256  # characters of a value that an error prints


def parse(body: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """The JSON document at the start of `body`.

    Raises:
        ServingError: INVALID_ARGUMENT, in RapidJSON's words.
    """
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return _parse_slowly(body)


def dump(value: Any) -> bytes:  # noqa: ANN401 - any JSON value, numpy arrays and bytes inside
    """`value` as JSON; numpy arrays as lists, float32 in the shortest form that reads back."""
    try:
        if not _has_special(value):
            return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY)
    except orjson.JSONEncodeError:
        pass
    return b"".join(_pieces(value))


def shown(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """`value` as an error prints it: members on lines of their own, and cut where it is long."""
    text = ""
    for piece in _pretty(value, 0):
        text += piece
        if len(text) >= MOST_SHOWN:  # each level is a character: it goes no deeper than this
            break
    return text[:MOST_SHOWN]


def _pretty(value: Any, depth: int) -> Iterator[str]:  # noqa: ANN401
    if isinstance(value, dict) and value:
        before = "{\n" + " " * 4 * (depth + 1)
        for key, item in value.items():
            yield f"{before}{json.dumps(key)}: "
            yield from _pretty(item, depth + 1)
            before = ",\n" + " " * 4 * (depth + 1)
        yield "\n" + " " * 4 * depth + "}"
    elif isinstance(value, list) and value:
        before = "["
        for item in value:
            yield before
            yield from _pretty(item, depth)
            before = ", "
        yield "]"
    else:
        yield json.dumps(value, ensure_ascii=False)


def _parse_slowly(body: bytes) -> Any:  # noqa: ANN401
    text = body.decode("utf-8-sig", errors="surrogateescape")
    start = len(text) - len(text.lstrip(" \t\r\n"))
    if start == len(text):
        raise _parse_error("The document is empty")
    try:
        decoder = json.JSONDecoder(object_pairs_hook=_first_wins, parse_int=_integer)
        value, _ = decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise _parse_error(f"{_reason(error)} at offset: {error.pos}") from error
    except RecursionError as error:
        raise _parse_error(f"nested deeper than {MOST_NESTING} levels") from error
    return value


def _parse_error(reason: str) -> ServingError:
    return ServingError(Fault.INVALID_ARGUMENT, f"JSON Parse error: {reason}")


def _integer(digits: str) -> int | float:
    """An integer of 64 bits, or else a double, as RapidJSON and orjson have it."""
    if len(digits) <= MOST_DIGITS and -(2**63) <= (value := int(digits)) < 2**64:
        return value
    return float(digits)


def _first_wins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        members.setdefault(key, value)
    return members


def _reason(error: json.JSONDecodeError) -> str:
    """RapidJSON's sentence for what Python's parser found."""
    if error.msg.startswith("Expecting ',' delimiter"):
        in_array = _innermost_bracket(error.doc[: error.pos]) == "["
        return (
            "Missing a comma or ']' after an array element."
            if in_array
            else "Missing a comma or '}' after an object member."
        )
    if error.msg.startswith("Expecting ':' delimiter"):
        return "Missing a colon after a name of object member."
    if error.msg.startswith("Expecting property name"):
        return "Missing a name for object member."
    if error.msg.startswith("Unterminated string"):
        return "Missing a closing quotation mark in string."
    if error.msg.startswith("Invalid \\escape"):
        return "Invalid escape character in string."
    return "Invalid value."


def _innermost_bracket(text: str) -> str:
    """The bracket that is open at the end of `text`, strings left out."""
    open_brackets: list[str] = []
    in_string = False
    skip = False
    for character in text:
        if skip:
            skip = False
        elif in_string:
            skip = character == "\\"
            in_string = character != '"'
        elif character == '"':
            in_string = True
        elif character in "[{":
            open_brackets.append(character)
        elif character in "]}" and open_brackets:
            open_brackets.pop()
    return open_brackets[-1] if open_brackets else ""


def _has_special(value: Any) -> bool:  # noqa: ANN401
    """Whether there is a float in `value` that JSON has no form for."""
    if isinstance(value, dict):
        return any(_has_special(item) for item in value.values())
    if isinstance(value, list):
        return any(_has_special(item) for item in value)
    if isinstance(value, float):
        return not math.isfinite(value)
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return kind == "f" and not bool((abs(value) < math.inf).all())


def _pieces(value: Any) -> list[bytes]:  # noqa: ANN401
    if isinstance(value, dict):
        members = [orjson.dumps(key) + b":" + b"".join(_pieces(v)) for key, v in value.items()]
        return [b"{", b",".join(members), b"}"]
    if isinstance(value, list):
        return [b"[", b",".join(b"".join(_pieces(item)) for item in value), b"]"]
    if isinstance(value, bytes):
        # TensorFlow Serving passes the bytes of a string output through as they are.
        escaped = orjson.dumps(value.decode("latin-1"))
        return [escaped.decode("utf-8").encode("latin-1")]
    if hasattr(value, "tolist"):
        return _pieces(_listed(value))
    if isinstance(value, float) and not math.isfinite(value):
        return [b"NaN" if math.isnan(value) else b"Infinity" if value > 0 else b"-Infinity"]
    return [orjson.dumps(value)]


def _listed(array: Any) -> Any:  # noqa: ANN401
    if array.ndim == 0:
        return _number(array)
    return [_listed(item) if item.ndim else _number(item) for item in array]


def _number(item: Any) -> Any:  # noqa: ANN401
    value = item.item()
    if item.dtype.kind == "f" and math.isfinite(value):
        return float(str(item))  # float32's shortest text, read as a double, prints the same
    return value
