"""`python -m export rollback`: an earlier version becomes the stable one."""

from dataclasses import dataclass
from pathlib import Path

from export.publishing.moved import say_moved
from export.publishing.moving import roll_back
from export.publishing.running import run_command
from export.publishing.version_folders import models_in


@dataclass(frozen=True, kw_only=True)
class RollbackConfig:
    """Point the label `stable` at an earlier version, in models.config.

    A server started with that file and --model_config_file_poll_wait_seconds follows within
    seconds. One started with --model_base_path serves the highest number whatever the labels are.
    """

    models_dir: Path = Path("models")
    """Holds MODEL/VERSION and models.config."""

    model: str | None = None
    """Only this one; else every model."""

    to: int | None = None
    """The version; without it, the one before the stable one."""


def main(arguments: list[str]) -> int:
    """Rolls back; 2 where there is no earlier version."""
    return run_command("rollback", RollbackConfig, _roll_back, arguments)


def _roll_back(config: RollbackConfig) -> None:
    for model in models_in(config.models_dir, config.model):
        say_moved(model, *roll_back(config.models_dir, model, config.to))
