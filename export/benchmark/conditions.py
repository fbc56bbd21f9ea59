"""What the product promises of its forms, held against a benchmark's figures."""

from collections.abc import Mapping
from dataclasses import dataclass

from export.benchmark.table import CORES, IMAGES, Row, Table, times_as_fast

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
    speeds = [_speed(asked, tables) for asked in _SPEEDS]
    return speeds + [_memory(asked, tables) for asked in _MEMORIES]


def _speed(asked: _Speed, tables: Mapping[str, Table]) -> Condition:
    sentence = (
        f"{asked.row} at least {asked.least}x as fast as {asked.other} with "
        f"{IMAGES[asked.images]}, {CORES[asked.cores]}"
    )
    pair = _rows(asked, tables)
    if pair is None:
        return Condition(asked=sentence, got=_NOT_MEASURED, is_met=None)
    found = times_as_fast(*pair, asked.images)
    return Condition(asked=sentence, got=f"{found}x", is_met=found.value >= asked.least)


def _memory(asked: _Memory, tables: Mapping[str, Table]) -> Condition:
    sentence = (
        f"{asked.row} at most {asked.most}x the memory of {asked.other} after the first requests, "
        f"{CORES[asked.cores]}"
    )
    pair = _rows(asked, tables)
    if pair is None:
        return Condition(asked=sentence, got=_NOT_MEASURED, is_met=None)
    share = pair[0].used_bytes / pair[1].used_bytes
    return Condition(asked=sentence, got=f"{share:.3f}x", is_met=share <= asked.most)


def _rows(asked: _Speed | _Memory, tables: Mapping[str, Table]) -> tuple[Row, Row] | None:
    table = tables.get(asked.cores)
    row = table and table.row(asked.row)
    other = table and table.row(asked.other)
    return (row, other) if row and other else None
