"""The manifest of a comparison: everything that one needs to judge or to repeat it."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from loadtest.estimates import METHOD
from loadtest.machine import describe_machine, git_commit, versions
from loadtest.photos import digest_of
from loadtest.resources import has_pss
from loadtest.run import Bench, Run
from loadtest.targets import Target


def build_manifest(run_id: str, bench: Bench, runs: Sequence[Run]) -> dict[str, Any]:
    """Gathers the manifest after the last run."""
    config = bench.config
    targets = {run.target.name: run.target for run in runs}
    return {
        "run_id": run_id,
        "git_commit": git_commit(),
        "machine": describe_machine(),
        "versions": versions(),
        "cores": asdict(bench.cores),
        "threads": {
            "tensorflow_intra_op": 1,
            "tensorflow_inter_op": 1,
            "baseline": config.baseline_threads,
        },
        "config": {name: _plain(value) for name, value in vars(config).items()},
        "scenario": asdict(bench.scenario),
        "order": [f"{run.target.name}:{run.repeat}" for run in runs],
        "commands": {run.target.name: run.command for run in runs},
        "models": {name: digest_model(target, bench) for name, target in targets.items()},
        "photos": {
            "source": config.photos or f"drawn, seed {config.seed}",
            "count": len(bench.photos),
            "mean_bytes": round(sum(map(len, bench.photos)) / len(bench.photos)),
            "sha256": digest_of(list(bench.photos)),
        },
        "memory_measure": "PSS" if has_pss() else "RSS (this system tells no PSS)",
        "method": METHOD,
    }


def digest_model(target: Target, bench: Bench) -> dict[str, object]:
    """What a target serves: the version and digest of export's record, or the file's SHA-256."""
    folder = target.needs(bench.config)
    versions_found = sorted((p for p in folder.glob("[0-9]*") if p.is_dir()), key=_number)
    served = versions_found[-1] if versions_found else folder
    record = served / "export.json"
    if record.is_file():
        exported = json.loads(record.read_text())
        return {"version": served.name, "digest": exported.get("digest", "unknown")}
    for name in ("model.keras", "saved_model.pb"):
        if (served / name).is_file():
            digest = hashlib.sha256((served / name).read_bytes()).hexdigest()
            return {"file": name, "digest": digest}
    return {"digest": "unknown"}


def _number(folder: Path) -> int:
    return int(folder.name) if folder.name.isdigit() else -1


def _plain(value: object) -> object:
    if isinstance(value, Path):
        return str(value)
    return list(value) if isinstance(value, tuple) else value
