"""The tables: what is measured, and what was asked of it."""

import logging
import sys
from collections.abc import Iterable, Iterator

import keras
import tensorflow as tf
from rich.console import Console
from rich.progress import track

from training.benchmark import preprocess_subjects as pre
from training.benchmark import train_subjects as train
from training.benchmark.config import BenchConfig
from training.benchmark.findings import preprocess_findings, train_findings
from training.benchmark.interleaved import Measured, Subject, measure, ratio
from training.benchmark.report import Condition, Table
from training.dataset import DecodedPhotos, train_batches, untuned
from training.photo_folder import Photo

_WARM_UP = 2
_ASKED = {64: 2.2, 96: 1.6}
"""Graph over eager at a crop size, batch 16: what the project promises."""


def train_tables(config: BenchConfig, photos: tuple[Photo, ...]) -> list[Table]:
    """Measure table 6.2 at each size."""
    return [_train_table(config, photos, size) for size in config.sizes]


def _train_table(config: BenchConfig, photos: tuple[Photo, ...], size: int) -> Table:
    settings = train.bench_config(config.network, size, config.batch_size)
    decoded = DecodedPhotos(photos[: config.batch_size * config.steps], settings.image_size)
    batches = untuned(train_batches(decoded, settings, 0).cache())
    rows = _measured(train.train_subjects(settings, batches), config, f"{size} pixels")
    waits = train.data_wait(settings, photos)
    by = {row.name: row for row in rows}
    return Table(
        title=f"Training step, {config.network}, {size} pixels, batch {config.batch_size}",
        work=(
            f"A round is {config.steps} steps, each waited for; {config.rounds} rounds. Batches "
            "are ready in memory, but for the figure on data."
        ),
        rows=rows,
        findings=tuple(train_findings(by, waits)),
        conditions=_train_conditions(by, size, waits),
        data_wait=waits,
    )


def _train_conditions(by: dict[str, Measured], size: int, waits: float) -> tuple[Condition, ...]:
    graph = ratio(by[train.GRAPH_FIXED], by[train.EAGER]).value
    fit = ratio(by[train.GRAPH_FIXED], by[train.FIT])
    conditions = [
        Condition(
            asked="the step waits for data less than 5 % of an epoch",
            measured=waits,
            is_met=waits < 0.05,
        ),
        Condition(
            asked="not slower than keras.Model.fit (its speed is within or above the interval)",
            measured=fit.value,
            is_met=fit.high >= 1,
        ),
    ]
    if (bound := _ASKED.get(size)) is not None:
        asked = f"graph at least {bound} times as fast as eager at {size} pixels"
        conditions.append(Condition(asked=asked, measured=graph, is_met=graph >= bound))
    return tuple(conditions)


def preprocess_tables(config: BenchConfig, photos: tuple[Photo, ...]) -> list[Table]:
    """Measure table 6.1."""
    chosen = [photo.path for photo in photos[: config.photos]]
    rows = _measured(pre.preprocess_subjects(chosen), config, "preprocessing")
    table = Table(
        title="Preprocessing: files to images of 224 x 224",
        work=f"A round is {len(chosen)} photos, read, decoded, resized, given in batches by "
        f"the pipelines; {config.rounds} rounds.",
        rows=rows,
        findings=tuple(preprocess_findings({row.name: row for row in rows})),
    )
    return [table]


def _measured(
    subjects: tuple[Subject, ...], config: BenchConfig, what: str
) -> tuple[Measured, ...]:
    def progress(numbers: Iterable[int]) -> Iterable[int]:
        console = Console(stderr=True)
        if console.is_terminal:
            return track(numbers, f"rounds of {what}", console=console, transient=True)
        return _told(list(numbers), what)

    keras.utils.set_random_seed(1)
    # TensorFlow counts all steps as one function, for they are of one definition, and warns.
    logger = tf.get_logger()
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        return measure(subjects, rounds=config.rounds, warm_up=_WARM_UP, progress=progress)
    finally:
        logger.setLevel(level)


def _told(numbers: list[int], what: str) -> Iterator[int]:
    for number in numbers:
        print(f"{what}: round {number + 1} of {len(numbers)}", file=sys.stderr, flush=True)
        yield number


TABLES = {"preprocess": preprocess_tables, "train": train_tables}
