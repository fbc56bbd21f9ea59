"""A report for a reader: tables on a terminal, plain lines where stdout is none."""

from collections.abc import Iterator, Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from export.preflight.finding import Finding
from export.preflight.report import Report, SignatureListing, TensorListing

_STYLES = {"ok": "green", "warning": "yellow", "FAILS": "bold red", "not applicable": "dim"}


def print_report(report: Report, console: Console) -> None:
    """Signatures, then a line for each check, then what it comes to."""
    if console.is_terminal:
        console.print(Text(report.saved_model, style="bold"))
        console.print(_signature_table(report.signatures))
        console.print(_finding_table(report.findings))
    else:
        for line in _plain(report):
            console.print(line, soft_wrap=True, markup=False, highlight=False)
    console.print(conclusion(report), soft_wrap=True, markup=False, highlight=False)


def conclusion(report: Report) -> str:
    """One line."""
    count = len(report.failing)
    if count == 0:
        return f"{report.saved_model}: nothing would fail"
    verb = "check fails" if count == 1 else "checks fail"
    return f"{report.saved_model}: {count} {verb}: {', '.join(report.failing)}"


def _plain(report: Report) -> Iterator[str]:
    for name, method, side, alias, tensor in _rows(report.signatures):
        yield f"{name} ({method}) {side} {alias}: {tensor}"
    for finding in report.findings:
        yield f"{finding.verdict:<14} {finding.name}: {finding.found} {finding.advice}".rstrip()


def _signature_table(signatures: Mapping[str, SignatureListing]) -> Table:
    table = Table(
        "signature", "method", "", "alias", "dtype and shape", box=None, padding=(0, 2, 0, 0)
    )
    shown = ""
    for name, method, side, alias, tensor in _rows(signatures):
        heads = (name, method) if name != shown else ("", "")
        table.add_row(*(Text(cell) for cell in (*heads, side, alias, tensor)))
        shown = name
    return table


def _finding_table(findings: tuple[Finding, ...]) -> Table:
    table = Table(
        "verdict", "check", "what was found, and what to do", box=None, padding=(0, 2, 0, 0)
    )
    for finding in findings:
        style = _STYLES[finding.verdict]
        words = Text(finding.found, style="dim" if finding.verdict == "not applicable" else "")
        if finding.advice:
            words.append(f"\n{finding.advice}", style="italic")
        table.add_row(Text(finding.verdict, style=style), Text(finding.name), words)
    return table


def _rows(signatures: Mapping[str, SignatureListing]) -> Iterator[tuple[str, str, str, str, str]]:
    for name, signature in signatures.items():
        for side, tensors in (("in", signature.inputs), ("out", signature.outputs)):
            for alias, tensor in tensors.items():
                yield name, signature.method, side, alias, _tensor_text(tensor)


def _tensor_text(tensor: TensorListing) -> str:
    if tensor.shape is None:
        return f"{tensor.dtype} of any shape"
    dims = ",".join("?" if dim is None else str(dim) for dim in tensor.shape)
    return f"{tensor.dtype} [{dims}]"
