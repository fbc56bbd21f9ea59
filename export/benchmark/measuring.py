"""Measures all models in turns, each in its own process, so that they share the machine's moods.

    round 1: A B C D      round 2: B C D A      round 3: C D A B ...

Once all are started, only one process computes at a time; the others wait to be asked.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import numpy as np
import numpy.typing as npt

from export.benchmark.child import Child, start
from export.benchmark.config import BenchConfig
from export.benchmark.subject import ROWS
from export.benchmark.table import CORES, Row, Table
from export.benchmark.written import NOTHING, Subject, Written
from export.progress import Narrator

RoundSeconds = dict[int, tuple[float, ...]]
"""By images of a request: the median latency of each round."""


def measure(written: Written, config: BenchConfig, cores: str, narrator: Narrator) -> Table:
    """Fills one table.

    Args:
        written: what to measure.
        config: how long.
        cores: `all` or `1`.
        narrator: is told of each model and round.

    Raises:
        ExportError: a model's process died.
    """
    nothing = Subject(name=NOTHING, kind="nothing", path=written.images, disk_bytes=0)
    with ExitStack() as stack:
        narrator.say(f"{CORES[cores]}: starting {len(written.subjects)} processes")
        idle, *started = start([nothing, *written.subjects], cores, stack)
        nothing_bytes = int(idle.ask("load")["private_bytes"])
        children = dict(zip((one.name for one in written.subjects), started, strict=True))
        loaded: dict[str, int] = {}
        first: dict[str, dict[str, Any]] = {}
        for name, child in children.items():
            narrator.say(f"{CORES[cores]}: loading {name}")
            loaded[name] = child.ask("load")["private_bytes"]
            first[name] = child.ask("first", images=str(written.images))
        rounds = _rounds(children, config, cores, narrator)
        answers = {
            name: np.array(child.ask("answers")["probabilities"])
            for name, child in children.items()
        }
    reference = answers[written.subjects[0].name]
    rows = [
        Row(
            name=subject.name,
            disk_bytes=subject.disk_bytes,
            loaded_bytes=loaded[subject.name],
            used_bytes=first[subject.name]["private_bytes"],
            first_s={rows: first[subject.name]["seconds"][str(rows)] for rows in ROWS},
            round_s=rounds[subject.name],
            largest_difference=float(np.abs(answers[subject.name] - reference).max()),
            same_label=_same_label(answers[subject.name], reference),
        )
        for subject in written.subjects
    ]
    return Table(
        cores=cores, nothing_bytes=nothing_bytes, compared_photos=len(reference), rows=tuple(rows)
    )


def _rounds(
    children: Mapping[str, Child], config: BenchConfig, cores: str, narrator: Narrator
) -> dict[str, RoundSeconds]:
    names = list(children)
    seconds: dict[str, dict[int, list[float]]] = {
        name: {rows: [] for rows in ROWS} for name in names
    }
    # The first round does not count.
    for number in range(1 + config.rounds):
        narrator.say(f"{CORES[cores]}: round {number} of {config.rounds}")
        shift = number % len(names)
        for name in (*names[shift:], *names[:shift]):
            for rows in ROWS:
                answer = children[name].ask("time", rows=rows, repeats=config.repeats)
                seconds[name][rows].append(float(np.median(answer["seconds"])))
    return {
        name: {rows: tuple(medians[1:]) for rows, medians in by_rows.items()}
        for name, by_rows in seconds.items()
    }


def _same_label(answers: npt.NDArray[np.float64], reference: npt.NDArray[np.float64]) -> float:
    return float(np.mean(answers.argmax(axis=1) == reference.argmax(axis=1)))
