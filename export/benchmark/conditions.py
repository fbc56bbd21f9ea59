"""What the product promises of its forms, held against a benchmark's figures."""

from collections.abc import Mapping
from dataclasses import dataclass

from export.benchmark.table import Table, times_as_fast

_NAMES = {"all": "all cores", "1": "one core"}
_NOT_MEASURED = "not measured"


@dataclass(frozen=True, kw_only=True)
class Condition:
    """What was asked of a figure, and what came."""

    asked: str
    got: str
    is_met: bool | None
    """None where it was not measured."""


@dataclass(frozen=True)
class _Speed:
    cores: str
    row: str
    other: str
    images: int
    least: float


@dataclass(frozen=True)
class _Memory:
    cores: str
    row: str
    other: str
    most: float


_SPEEDS = (
    _Speed("all", "bf16 variables", "eager Keras", 1, 3.0),
    _Speed("all", "bf16 variables", "eager Keras", 8, 2.5),
    _Speed("all", "bf16 frozen", "eager Keras", 1, 4.5),
    _Speed("1", "int8 variables", "bf16 variables", 1, 1.7),
    _Speed("1", "int8 variables", "bf16 variables", 8, 1.7),
)
_MEMORIES = (
    _Memory("all", "bf16 variables", "fp32 variables", 1.15),
    _Memory("1", "int8 variables", "bf16 variables", 1.0),
)


def conditions(tables: Mapping[str, Table]) -> list[Condition]:
    """Judges every promise; `tables` by their cores, `all` and `1`."""
    speeds = [_speed(asked, tables.get(asked.cores)) for asked in _SPEEDS]
    return speeds + [_memory(asked, tables.get(asked.cores)) for asked in _MEMORIES]


def _speed(asked: _Speed, table: Table | None) -> Condition:
    sentence = (
        f"{asked.row} at least {asked.least}x as fast as {asked.other}, images a request: "
        f"{asked.images}, {_NAMES[asked.cores]}"
    )
    row, other = (table and table.row(name) for name in (asked.row, asked.other))
    if row is None or other is None:
        return Condition(asked=sentence, got=_NOT_MEASURED, is_met=None)
    found = times_as_fast(row, other, asked.images)
    return Condition(asked=sentence, got=f"{found}x", is_met=found.value >= asked.least)


def _memory(asked: _Memory, table: Table | None) -> Condition:
    sentence = (
        f"{asked.row} at most {asked.most}x the memory of {asked.other} after the first requests, "
        f"{_NAMES[asked.cores]}"
    )
    row, other = (table and table.row(name) for name in (asked.row, asked.other))
    if row is None or other is None:
        return Condition(asked=sentence, got=_NOT_MEASURED, is_met=None)
    share = row.used_bytes / other.used_bytes
    return Condition(asked=sentence, got=f"{share:.2f}x", is_met=share <= asked.most)
