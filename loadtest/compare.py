"""The comparison: every target in turn, started, measured and stopped, then the report.

choose targets -> photos -> [ start | first answer | warm-up | measure | stop ] x targets x repeats
                                                                               |
               results/RUN/ <- report <- figures <- summary <- ratios, checks <-+
"""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from loadtest.config import CompareConfig
from loadtest.cores import held_to, share_cores
from loadtest.figures import draw_figures
from loadtest.machine import cpu_flags
from loadtest.manifest import build_manifest
from loadtest.photos import draw_photos, read_photos
from loadtest.progress import Narrator
from loadtest.report import write_report
from loadtest.resources import write_resources
from loadtest.result_folder import new_result
from loadtest.run import Bench, Run, measure
from loadtest.samples import write_requests
from loadtest.scenario import interleaved, scenario_of
from loadtest.summary import Summary, summarize, write_summary
from loadtest.targets import Target, all_targets, candidate_of, choose_targets


def compare(config: CompareConfig, known: dict[str, Target] | None = None) -> tuple[Path, Summary]:
    """Makes a whole comparison.

    Args:
        config: The settings.
        known: The targets there are, by name; those of the product by default.

    Returns:
        The folder of the result, and its summary.

    Raises:
        LoadTestError: Something that the user can mend; no result is published.
    """
    targets = choose_targets(config, known or all_targets())
    photos = read_photos(Path(config.photos)) if config.photos else draw_photos(config.seed)
    with new_result(config.results_dir) as folder:
        bench = Bench(
            config=config,
            scenario=scenario_of(config),
            cores=share_cores(),
            folder=folder.partial,
            photos=photos,
        )
        _write_photos(folder.partial / "photos", photos)
        runs = _measure_all(targets, bench)
        manifest = build_manifest(folder.run_id, bench, runs)
        candidate = candidate_of(targets, sorted(cpu_flags()))
        summary = summarize(runs, candidate, bench.scenario, bench.cores, manifest)
        _write_result(folder.partial, runs, summary)
    return folder.final, summary


def _measure_all(targets: Sequence[Target], bench: Bench) -> list[Run]:
    by_name = {target.name: target for target in targets}
    order = interleaved(list(by_name), bench.scenario.repeats)
    runs: list[Run] = []
    # This process samples memory while it waits: it shares the generator's core, not the server's.
    with held_to(bench.cores.generator), Narrator(len(order)) as narrator:
        for name, repeat in order:
            narrator.say(f"{name} {repeat}/{bench.scenario.repeats}: starting, warming up, loading")
            run = measure(by_name[name], repeat, bench)
            runs.append(run)
            narrator.report(_outcome(run, bench.scenario.repeats))
        narrator.say("writing the report")
    return runs


def _outcome(run: Run, repeats: int) -> str:
    n, seconds = len(run.figures.latency_ms), run.window.seconds
    rate = n / seconds if seconds else 0.0
    return (
        f"{run.target.name} {run.repeat}/{repeats}: first answer after {run.cold_start_s:.1f} s,"
        f" {n} requests in {seconds:.1f} s, {rate:.1f} req/s, {run.figures.memory_mb:.0f} MB"
    )


def _write_photos(folder: Path, photos: Sequence[bytes]) -> None:
    folder.mkdir()
    for number, photo in enumerate(photos):
        (folder / f"{number:03}.jpg").write_bytes(photo)


def _write_result(folder: Path, runs: Sequence[Run], summary: Summary) -> None:
    """Writes everything but the logs, and removes what was needed for the runs only."""
    (folder / "manifest.json").write_text(json.dumps(summary.manifest, indent=2) + "\n")
    write_requests(
        folder / "requests.csv.gz",
        ((r.target.name, r.repeat, r.origin_s, r.samples, r.window) for r in runs),
    )
    write_resources(
        folder / "resources.csv",
        ((r.target.name, r.repeat, r.origin_s, r.resources) for r in runs),
    )
    _write_metrics(folder / "server_metrics.prom", runs)
    write_summary(folder / "summary.json", summary)
    figures = draw_figures(folder / "figures", runs, summary)
    write_report(folder, summary, figures)
    shutil.rmtree(folder / "photos")  # they may be private; the manifest has their digest
    for rows in folder.glob("rows-*.csv"):
        rows.unlink()


def _write_metrics(path: Path, runs: Sequence[Run]) -> None:
    """Writes the last metrics page of each target that has one, each after a line that names it."""
    pages = {run.target.name: run.metrics for run in runs if run.metrics is not None}
    path.write_text("".join(f"# target: {name}\n{page}\n" for name, page in pages.items()))
