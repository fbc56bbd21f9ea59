"""A model's report as text, for a terminal or a pipe."""

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from export.show.model_report import ModelReport
from export.show.signature_list import SignatureFacts
from graphmode.graph.terminal import bytes_text

_MOST_OPS = 12
_MOST_LABELS = 10


def print_report(report: ModelReport, console: Console) -> None:
    """Prints everything, the signatures first."""
    console.print(Text(report.folder, style="bold"))
    parts = (
        _signatures(report),
        _sizes(report),
        _ops(report),
        _fused(report),
        _served_with(report),
        _record(report),
    )
    for part in parts:
        for text in part:
            console.print()
            console.print(text)


def _signatures(report: ModelReport) -> Iterator[RenderableType]:
    for signature in report.signatures:
        title = Text(_title(signature), style="italic")
        table = _table("", "", "dtype", "shape", "name")
        for side, tensors in (("inputs", signature.inputs), ("outputs", signature.outputs)):
            for tensor in tensors:
                name = f"{side}['{tensor.alias}']"
                table.add_row(name, tensor.dtype, tensor.shape, tensor.tensor or "(composite)")
        yield Group(title, table)  # a title of the table's own would be broken at its width
    if not report.signatures:
        yield Text("no signatures: no server can answer a request with it", style="red")


def _title(signature: SignatureFacts) -> str:
    tags = "" if signature.tags == ("serve",) else f" of tag-set {', '.join(signature.tags)}"
    return f"signature_def['{signature.name}']{tags}, method name: {signature.method or '(none)'}"


def _sizes(report: ModelReport) -> Iterator[RenderableType]:
    table = _table("on disk", "part", "size")
    for part, size in report.sizes.items():
        if size:
            table.add_row(part, bytes_text(size))
    table.add_row("all", bytes_text(sum(report.sizes.values())), style="bold")
    yield table
    table = _table("weights", "", "count", "size")
    for dtype, amount in report.variables.items():
        table.add_row(f"{dtype} variables", str(amount.count), bytes_text(amount.bytes))
    constants = report.constants
    table.add_row("constants in the graph", str(constants.count), bytes_text(constants.bytes))
    yield table


def _ops(report: ModelReport) -> Iterator[RenderableType]:
    ops = report.ops
    table = _table(f"ops of {ops.of or 'the whole graph'}", "op", "as saved", "as run")
    names = {**ops.ops, **ops.optimised_ops}
    most = sorted(names, key=lambda name: (-ops.ops.get(name, 0), -names[name], name))
    for name in most[:_MOST_OPS]:
        table.add_row(name, _number(ops.ops, name), _number(ops.optimised_ops, name))
    if len(most) > _MOST_OPS:
        table.add_row(f"and {len(most) - _MOST_OPS} other ops", "", "")
    run = str(sum(ops.optimised_ops.values())) if ops.optimised_ops else "-"
    table.add_row("all", str(sum(ops.ops.values())), run, style="bold")
    yield table
    if ops.why_not_run:
        yield Text(f"not run, so what is fused is not known: {ops.why_not_run}", style="yellow")


def _fused(report: ModelReport) -> Iterator[RenderableType]:
    if report.ops.why_not_run:
        return
    if not report.ops.fused:
        yield Text("nothing is fused")
        return
    table = _table("fused ops that run", "op", "count", "fused", "dtype")
    for fused in report.ops.fused:
        table.add_row(fused.op, str(fused.count), " + ".join(fused.fused_ops), fused.dtype)
    yield table


def _served_with(report: ModelReport) -> Iterator[RenderableType]:
    if report.labels:
        more = len(report.labels) - _MOST_LABELS
        shown = ", ".join(report.labels[:_MOST_LABELS]) + (f" and {more} more" if more > 0 else "")
        yield Text(f"{len(report.labels)} labels: {shown}")
    if report.warmup:
        table = _table("warm-up requests", "signature", "kind", "rows", "count")
        for each in report.warmup:
            rows = "?" if each.rows is None else str(each.rows)
            table.add_row(each.signature, each.kind, rows, str(each.count))
        yield table


def _record(report: ModelReport) -> Iterator[RenderableType]:
    if report.record is None:
        return
    table = _table("export.json", "", "")
    for key, value in report.record.items():
        if isinstance(value, str | int | float):
            table.add_row(key, str(value))
    yield table
    gates = report.record.get("gates", [])
    if gates:
        table = _table("gates", "", "gate", "detail")
        for gate in gates:
            verdict = "passed" if gate.get("passed") else "FAILED"
            table.add_row(verdict, gate.get("name"), gate.get("detail"))
        yield table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title or None, title_justify="left", box=None, pad_edge=False)
    for column in columns:
        is_number = column in {"size", "count", "rows", "as saved", "as run"}
        table.add_column(column, justify="right" if is_number else "left")
    return table


def _number(counts: dict[str, int], name: str) -> str:
    return str(counts.get(name, "-"))
