"""How far the trials are, on stderr: a bar on a terminal, a line a claim elsewhere."""

import sys
from collections.abc import Iterator

from rich.console import Console
from rich.progress import Progress

from graphmode.claims.trial import Trial


def told(trials: Iterator[Trial], count: int) -> Iterator[Trial]:
    """Pass the trials on and tell of each; `count` is how many there will be."""
    return _with_bar(trials, count) if sys.stderr.isatty() else _with_lines(trials, count)


def _with_bar(trials: Iterator[Trial], count: int) -> Iterator[Trial]:
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("claims", total=count)
        for trial in trials:
            progress.update(task, advance=1, description=f"claim {trial.claim.number}")
            yield trial


def _with_lines(trials: Iterator[Trial], count: int) -> Iterator[Trial]:
    for done, trial in enumerate(trials, start=1):
        print(
            f"{done} of {count}: claim {trial.claim.number} {trial.finding.verdict}, "
            f"{trial.taken_s:.1f} s",
            file=sys.stderr,
            flush=True,
        )
        yield trial
