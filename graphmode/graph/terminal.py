"""A graph's facts as text, for a terminal or a pipe."""

from collections.abc import Iterable, Iterator

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from graphmode.graph.facts import GraphFacts, StageFacts

LARGEST_CONSTANTS = 3


def print_facts(facts: GraphFacts, console: Console) -> None:
    """Print everything, the ops first."""
    inputs = ", ".join(f"{name} {text}" for name, text in facts.inputs.items())
    console.print(Text(facts.name, style="bold"), Text(f"run with {inputs or 'no input'}"))
    for note in facts.notes:
        console.print(Text(f"note: {note}", style="yellow"))
    for part in (_ops(facts), *_fused(facts), *_summaries(facts), *_devices(facts)):
        console.print()
        console.print(part)


def bytes_text(size: int | None) -> str:
    """A size for a reader, as `1.2 MB`."""
    if size is None:
        return "?"
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"


def compared(before: Iterable[str], after: Iterable[str]) -> list[str]:
    """The names of both, each once, those of the first stage first."""
    return list(dict.fromkeys([*before, *after]))


def _ops(facts: GraphFacts) -> Table:
    table = _table("op", "before", "after", title="ops")
    names = compared(facts.before.ops, facts.after.ops)
    for name in sorted(names, key=lambda name: -max(_both(facts, name))):
        before, after = _both(facts, name)
        style = "red" if after == 0 else "green" if before == 0 else ""
        table.add_row(name, _number(before), _number(after), style=style)
    table.add_section()
    table.add_row("all", str(facts.before.size), str(facts.after.size), style="bold")
    return table


def _both(facts: GraphFacts, op: str) -> tuple[int, int]:
    return facts.before.ops.get(op, 0), facts.after.ops.get(op, 0)


def _fused(facts: GraphFacts) -> Iterator[RenderableType]:
    if not facts.after.fused:
        yield Text("nothing is fused")
        return
    table = _table("count", "op", "fused ops", "dtype", title="fused ops that run")
    for fused in facts.after.fused:
        table.add_row(str(fused.count), fused.op, " + ".join(fused.fused_ops), fused.dtype)
    yield table


def _summaries(facts: GraphFacts) -> Iterator[RenderableType]:
    table = _table("", "before", "after")
    for name, before, after in summary_rows(facts):
        table.add_row(name, before, after)
    yield table
    if facts.variables:
        sizes = [variable.bytes for variable in facts.variables if variable.bytes is not None]
        yield Text(f"{len(facts.variables)} variables, {bytes_text(sum(sizes))}")
    largest = facts.after.constants[:LARGEST_CONSTANTS]
    if largest and facts.after.constant_bytes:
        shown = (f"{constant.name} ({bytes_text(constant.bytes)})" for constant in largest)
        yield Text(f"largest constants: {', '.join(shown)}")


def summary_rows(facts: GraphFacts) -> list[tuple[str, str, str]]:
    """What is compared beside the ops: a name, and the text for each stage."""
    rows = [
        ("control flow", _counts(facts.before.control_flow), _counts(facts.after.control_flow)),
        ("casts", _counts(facts.before.casts), _counts(facts.after.casts)),
        ("dtypes", _counts(facts.before.dtypes), _counts(facts.after.dtypes)),
        ("constants", _constants(facts.before), _constants(facts.after)),
        ("variable reads", str(facts.before.variable_reads), str(facts.after.variable_reads)),
        ("variable writes", str(facts.before.variable_writes), str(facts.after.variable_writes)),
    ]
    return [row for row in rows if row[1:] not in (("none", "none"), ("0", "0"))]


def _counts(counts: dict[str, int] | object) -> str:
    assert isinstance(counts, dict)
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"


def _constants(stage: StageFacts) -> str:
    return f"{len(stage.constants)}, {bytes_text(stage.constant_bytes)}"


def _devices(facts: GraphFacts) -> Iterator[RenderableType]:
    for device, ops in facts.after.devices.items():
        yield Text(f"{device}: {sum(ops.values())} nodes of {len(ops)} ops")


def _table(*columns: str, title: str | None = None) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for column in columns:
        is_count = column in ("before", "after", "count") and title is not None
        table.add_column(column, justify="right" if is_count else "left")
    return table


def _number(count: int) -> str:
    return str(count) if count else "-"
