"""`python -m graphmode claims [NUMBERS...]`: the claims, tried here; the last line is JSON."""

import dataclasses
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import tyro
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from graphmode.claims.claim import Claim
    from graphmode.claims.trial import Trial
    from graphmode.machine import Machine

_LEAST_WIDTH = 100
"""Columns of the table where no terminal says how wide it is."""


@dataclass(frozen=True, kw_only=True)
class ClaimsConfig:
    """Try what is said of graph mode on the installed TensorFlow."""

    numbers: tyro.conf.Positional[tuple[int, ...]] = ()
    """The claims to try; all when none is given."""
    markdown: Path | None = None
    """File to write the page of all claims into."""
    json: Path | None = None
    """File to write what was found into, for programs."""


class _CannotRunError(Exception):
    """What the user must mend."""


def main(arguments: list[str]) -> int:
    """Try the claims.

    Returns:
        0 when all verdicts are as expected, 1 when some differ, 2 where the user must mend
        something, 130 when stopped by Ctrl-C.
    """
    config = tyro.cli(
        ClaimsConfig, prog="python -m graphmode claims", args=arguments, use_underscores=True
    )
    try:
        return try_and_tell(_chosen(config), config)
    except (_CannotRunError, ImportError, OSError) as error:
        print(f"claims: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("claims: stopped; nothing was written", file=sys.stderr)
        return 130


def try_and_tell(claims: Sequence["Claim"], config: ClaimsConfig) -> int:
    """Try claims, print the table, and write the files that the flags name.

    Returns:
        0 when all verdicts are as expected, 1 when some differ.
    """
    # TensorFlow takes seconds to import, which a wrong flag need not wait for.
    from graphmode.claims.page import page_of  # noqa: PLC0415
    from graphmode.claims.progress import told  # noqa: PLC0415
    from graphmode.claims.trial import try_claims  # noqa: PLC0415
    from graphmode.machine import this_machine  # noqa: PLC0415

    machine = this_machine()
    trials = list(told(try_claims(claims), len(claims)))
    _print_table(trials)
    if config.markdown:
        config.markdown.write_text(page_of(trials, machine), "utf-8")
    if config.json:
        config.json.write_text(_json_of(trials, machine), "utf-8")
    differ = [trial.claim.number for trial in trials if not trial.is_as_expected]
    print(json.dumps({"claims": len(trials), "differ": differ}))
    return 1 if differ else 0


def _chosen(config: ClaimsConfig) -> Sequence["Claim"]:
    if config.markdown and config.numbers:
        raise _CannotRunError("--markdown writes the page of all claims; name no numbers with it")
    for path in (config.markdown, config.json):
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
    from graphmode.claims.book import all_claims  # noqa: PLC0415

    known = {claim.number: claim for claim in all_claims()}
    unknown = [number for number in config.numbers if number not in known]
    if unknown:
        raise _CannotRunError(
            f"no claim {unknown[0]}; they are numbered {min(known)} to {max(known)}"
        )
    return [known[number] for number in sorted(set(config.numbers) or known)]


def _print_table(trials: Sequence["Trial"]) -> None:
    table = Table("", "claim", "what is said", "expected", "found", "seconds")
    for trial in trials:
        mark, style = ("", None) if trial.is_as_expected else ("!", "bold red")
        table.add_row(
            mark,
            str(trial.claim.number),
            trial.claim.text,
            trial.claim.expected,
            "broke" if trial.has_failed else trial.finding.verdict,
            f"{trial.taken_s:.1f}",
            style=style,
        )
    console = Console(width=None if sys.stdout.isatty() else _LEAST_WIDTH, markup=False)
    console.print(table)
    for trial in trials:
        if not trial.is_as_expected:
            console.print(f"claim {trial.claim.number}: {trial.finding.happens}", highlight=False)


def _json_of(trials: Sequence["Trial"], machine: "Machine") -> str:
    rows = [
        {
            "number": trial.claim.number,
            "section": trial.claim.section,
            "claim": trial.claim.text,
            "expected": trial.claim.expected,
            "found": trial.finding.verdict,
            "is_as_expected": trial.is_as_expected,
            "happens": trial.finding.happens,
            "needs_timing": trial.claim.needs_timing,
            "taken_s": round(trial.taken_s, 3),
        }
        for trial in trials
    ]
    return json.dumps({"machine": dataclasses.asdict(machine), "claims": rows}, indent=1) + "\n"
