"""The facts of bench.json as a page."""

from collections.abc import Iterator
from statistics import median
from typing import Any

from export.benchmark.spread import METHOD, Spread
from export.benchmark.subject import ROWS
from export.benchmark.table import CORES, IMAGES

_LOADED = "memory loaded, MB"
_COLUMNS = (
    "model",
    "one image, ms",
    "times eager",
    "eight images, ms",
    "times eager",
    "on disk, MB",
    _LOADED,
    "after first requests, MB",
    "first request, ms",
    "largest difference",
    "same label",
)
_VERDICTS = {True: "met", False: "NOT met", None: "not judged"}


def markdown(facts: dict[str, Any]) -> str:
    """Tables, comparisons, conditions, and what they were measured on."""
    lines = ["# Forms of a model, measured side by side", ""]
    for table in facts["tables"]:
        lines += [f"## {CORES[table['cores']].capitalize()}", "", *_table(table), ""]
    lines += ["![Latencies with their intervals](bench.svg)", ""]
    if facts["warmup"]:
        lines += ["## First request of a fresh process, and what warm-up saves", ""]
        lines += [*_warmup(facts["warmup"]), ""]
    lines += ["## Asked", "", *_conditions(facts), "", *_method(facts), ""]
    return "\n".join(lines)


def _table(table: dict[str, Any]) -> Iterator[str]:
    yield f"| {' | '.join(_COLUMNS)} |"
    yield "|---" * len(_COLUMNS) + "|"
    for row in table["rows"]:
        yield f"| {' | '.join(_cells(row))} |"
    before = [""] * (_COLUMNS.index(_LOADED) - 1)
    after = [""] * (len(_COLUMNS) - 2 - len(before))
    nothing = ["nothing loaded", *before, _mb(table["nothing_bytes"]), *after]
    yield f"| {' | '.join(nothing)} |"
    yield ""
    yield f"Differences and labels: from eager Keras, on {table['compared_photos']} photos."
    yield ""
    for one in table["compared"]:
        speeds = ", ".join(
            f"{_spread(one['times_as_fast'], rows)} with {IMAGES[rows]}" for rows in ROWS
        )
        yield (
            f"* {one['row']} against {one['other']}: times as fast {speeds}; memory after the "
            f"first requests {one['memory']:.2f}x."
        )


def _cells(row: dict[str, Any]) -> Iterator[str]:
    yield row["name"]
    for rows in ROWS:
        yield f"{1000 * row['latency_s'][str(rows)]['value']:.1f}"
        yield _spread(row["times_eager"], rows)
    yield _mb(row["disk_bytes"])
    yield _mb(row["loaded_bytes"])
    yield _mb(row["used_bytes"])
    yield f"{1000 * row['first_s']['1']:.0f}"
    yield f"{row['largest_difference']:.1e}"
    yield f"{100 * row['same_label']:.1f} %"


def _warmup(proofs: list[dict[str, Any]]) -> Iterator[str]:
    yield "| model | signature | without, ms | with, ms | times as fast | replay itself, ms |"
    yield "|---|---|---|---|---|---|"
    for proof in proofs:
        gain = median(proof["cold_s"]) / median(proof["warm_s"])
        yield (
            f"| {proof['model']} | {proof['signature']} | {_range_ms(proof['cold_s'])} | "
            f"{_range_ms(proof['warm_s'])} | {gain:.1f} | {_range_ms(proof['replay_s'])} |"
        )
    yield ""
    yield (
        f"One image in the request; median (lowest to highest) of {len(proofs[0]['cold_s'])} fresh "
        "processes each, taking turns."
    )


def _conditions(facts: dict[str, Any]) -> Iterator[str]:
    for one in facts["conditions"]:
        yield f"* asked: {one['asked']}; got: {one['got']}; {_VERDICTS[one['is_met']]}."
    machine = facts["machine"]
    missing = [
        what
        for what, is_there in (
            ("bfloat16 (avx512_bf16, amx_bf16)", machine["has_bf16"]),
            ("8-bit products (avx512_vnni, avx_vnni, amx_int8)", machine["has_vnni"]),
        )
        if not is_there
    ]
    if missing:
        yield ""
        yield (
            f"This CPU has no instructions for {' and for '.join(missing)}, which the conditions "
            "count on. One that is met here says nothing about those instructions: see what the "
            "fp32 form gains over the same baseline."
        )


def _method(facts: dict[str, Any]) -> Iterator[str]:
    machine = facts["machine"]
    yield "## How"
    yield ""
    yield (
        f"Each model is in a process of its own, which is asked in turns: {facts['rounds']} rounds "
        f"in rotating order, after one that does not count; in a turn {facts['repeats']} requests "
        "of one image and as many of eight, of which the median counts. Latencies are taken in the "
        "process, without a server's wire. Ratios are taken within each round; "
        f"{METHOD}. SavedModels run in a V1 session with TF_ONEDNN_ASSUME_FROZEN_WEIGHTS=1, as our "
        "servers do; eager Keras is `model(images, training=False)` without it. Memory is the "
        "Private_Dirty of /proc/self/smaps_rollup: what the process wrote itself, Python and "
        "TensorFlow included (`nothing loaded` is a process that only imported TensorFlow); one "
        "reading, without an interval."
    )
    yield ""
    yield (
        f"{machine['date']}, commit {machine['commit']}, {machine['cores']} cores of "
        f"{machine['processor']} ({', '.join(machine['flags']) or 'no AVX2'}), TensorFlow "
        f"{machine['tensorflow']}, Keras {machine['keras']}, Python {machine['python']}, "
        f"TF_ENABLE_ONEDNN_OPTS={machine['onednn']}, load average "
        f"{machine['load_average_before']:.1f} before, {machine['load_average_after']:.1f} after."
    )


def _spread(figures: dict[str, Any], rows: int) -> str:
    return str(Spread(**figures[str(rows)]))


def _mb(count: int) -> str:
    return f"{count / 1e6:.0f}"


def _range_ms(seconds: list[float]) -> str:
    low, middle, high = (1000 * what(seconds) for what in (min, median, max))
    return f"{middle:.0f} ({low:.0f} to {high:.0f})"
