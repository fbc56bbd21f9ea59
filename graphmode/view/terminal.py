"""A function's view as text, for a terminal or a pipe."""

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from graphmode.view.function_view import FunctionView
from graphmode.view.pairing import Pair, is_scaffolding, pair_lines
from graphmode.view.source import Source

COLUMNS_FROM = 120
"""Characters of width from which source and generated code stand side by side."""


def print_view(view: FunctionView, console: Console) -> None:
    """Print a view, in two columns on a terminal that is wide enough, else one after the other."""
    is_wide = console.is_terminal and console.width >= COLUMNS_FROM
    for shown in (view, *view.inner):
        console.print(Group(*_parts(shown, is_wide=is_wide)), soft_wrap=not is_wide)


def _parts(view: FunctionView, *, is_wide: bool) -> Iterator[RenderableType]:
    yield _heading(view)
    if view.source is None:
        yield Text("  (its source cannot be read)")
    elif view.generated is None:
        yield from _lines(view.source.numbered, _marks(view))
    elif is_wide:
        yield _columns(view, pair_lines(view.source, view.generated))
    else:
        yield from _stacked(view, view.source, pair_lines(view.source, view.generated))
    yield from _control_flow(view)
    yield from _calls(view)
    yield Text()


def _heading(view: FunctionView) -> Text:
    heading = Text(view.name, style="bold")
    if view.source is not None:
        heading.append(f"  {view.source.file}:{view.source.first_line}", style="dim")
    if view.unconverted is None:
        return heading.append("\nconverted by AutoGraph", style="green")
    heading.append("\nNOT converted: ", style="bold red").append(view.unconverted, style="red")
    if view.remedy is not None:
        heading.append(f"\nwhat to do: {view.remedy}")
    return heading


def _columns(view: FunctionView, pairs: tuple[Pair, ...]) -> Table:
    table = Table(box=None, expand=True, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("source", ratio=2)
    table.add_column(_title(view), ratio=3)
    read = _coloured([line for pair in pairs for line in pair.source])
    made = _coloured([line for pair in pairs for line in pair.generated])
    marks = _marks(view)
    for pair in pairs:
        left = [(number, _marked(read[number], marks.get(number))) for number, _ in pair.source]
        right = [(number, _made(view, number, made[number])) for number, _ in pair.generated]
        back = Text(f"     (line {pair.origin})", style="dim")
        table.add_row(_grid(left) if left else back, _grid(right))
    return table


def _grid(lines: list[tuple[int, Text]]) -> Table:
    """Numbered lines; what does not fit goes on below the code, not below its number."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=4, justify="right", style="dim")
    grid.add_column()
    for number, code in lines:
        grid.add_row(str(number), code)
    return grid


def _stacked(view: FunctionView, source: Source, pairs: tuple[Pair, ...]) -> Iterator[Text]:
    yield from _lines(source.numbered, _marks(view))
    yield Text(f"{_title(view)} (left: the line of source)", style="dim")
    made = _coloured([line for pair in pairs for line in pair.generated])
    for pair in pairs:
        for index, (number, _) in enumerate(pair.generated):
            origin = f"{pair.origin or '':>4}" if index == 0 else "    "
            line = Text(f"{origin} {number:>4} ", style="dim")
            yield line + _made(view, number, made[number])


def _title(view: FunctionView) -> str:
    made = "made" if view.unconverted is None else "would make"
    return f"what AutoGraph {made} of it"


def _made(view: FunctionView, number: int, code: Text) -> Text:
    assert view.generated is not None
    origin = view.generated.origins[number - 1]
    return Text(code.plain, style="dim") if is_scaffolding(code.plain, origin) else code


def _lines(numbered: list[tuple[int, str]], marks: dict[int, str]) -> Iterator[Text]:
    code = _coloured(numbered)
    for number, _ in numbered:
        yield Text(f"{number:>4} ", style="dim") + _marked(code[number], marks.get(number))


def _marked(code: Text, mark: str | None) -> Text:
    return code if mark is None else code.copy().append(f"  <- {mark}", style="magenta")


def _marks(view: FunctionView) -> dict[int, str]:
    """For each line with control flow: what it is, and what it became."""
    marks: dict[int, str] = {}
    for flow in view.flows:
        made = flow.call or ("flag" if flow.is_converted else "stays Python")
        traced = view.traced(flow)
        mark = f"{flow.kind}: {made}" + (f", traced: {traced}" if traced else "")
        marks[flow.line] = f"{marks[flow.line]}; {mark}" if flow.line in marks else mark
    return marks


def _coloured(numbered: list[tuple[int, str]]) -> dict[int, Text]:
    """Each line in the colours of the terminal's own theme, by its number."""
    code = "\n".join(text for _, text in numbered)
    highlighted = Syntax(code, "python", theme="ansi_dark", background_color="default")
    lines = highlighted.highlight(code).split("\n", allow_blank=True)
    return {number: line for (number, _), line in zip(numbered, lines, strict=False)}


def _control_flow(view: FunctionView) -> Iterator[RenderableType]:
    if view.trace is not None:
        yield Text(f"traced: {view.trace.signature}", style="bold")
        if view.trace.error is not None:
            yield Text(f"  tracing failed: {view.trace.error}", style="red")
    if not view.flows:
        return
    yield Text("control flow", style="bold")
    for flow in view.flows:
        line = Text(f"  {flow.line:>4}  {flow.kind:<13} ")
        line.append(f"{flow.call or '':<16} ", style="magenta").append(flow.meaning)
        traced = view.traced(flow)
        if traced is not None:
            style = "yellow" if traced == "stayed Python" else "green"
            line.append(f"; traced: {traced}", style=style)
        yield line


def _calls(view: FunctionView) -> Iterator[RenderableType]:
    if view.callees:
        yield Text("calls", style="bold")
    for callee in view.callees:
        style = "green" if callee.is_converted else ""
        yield Text(f"  {callee.line:>4}  {callee.name:<30} ").append(callee.treatment, style=style)
