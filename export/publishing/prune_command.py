"""`python -m export prune`: old versions go."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from export.errors import ExportError
from export.publishing.moving import prune
from export.publishing.running import run_command
from export.publishing.version_folders import models_in


@dataclass(frozen=True, kw_only=True)
class PruneConfig:
    """Remove the oldest versions; never one with a label, never the newest."""

    keep: int
    """How many of the newest versions stay."""

    models_dir: Path = Path("models")
    """Holds MODEL/VERSION and models.config."""

    model: str | None = None
    """Only this one; else every model."""

    dry_run: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Say what would be removed, remove nothing."""

    def __post_init__(self) -> None:
        """Refuses to remove everything."""
        if self.keep < 1:
            raise ExportError(f"keep must be at least 1, got {self.keep}")


def main(arguments: list[str]) -> int:
    """Prunes; 2 for an error to be mended."""
    return run_command("prune", PruneConfig, _prune, arguments)


def _prune(config: PruneConfig) -> None:
    for model in models_in(config.models_dir, config.model):
        for version in prune(config.models_dir, model, config.keep, dry_run=config.dry_run):
            print(f"{'would remove' if config.dry_run else 'removed'} {version}")
