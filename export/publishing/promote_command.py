"""`python -m export promote`: the canary becomes the stable version."""

from dataclasses import dataclass
from pathlib import Path

from export.publishing.moved import say_moved
from export.publishing.moving import promote
from export.publishing.running import run_command
from export.publishing.version_folders import models_in


@dataclass(frozen=True, kw_only=True)
class PromoteConfig:
    """Point the label `stable` at the canary, the newest version, in models.config."""

    models_dir: Path = Path("models")
    """Holds MODEL/VERSION and models.config."""

    model: str | None = None
    """Only this one; else every model."""

    to: int | None = None
    """Another version than the canary."""


def main(arguments: list[str]) -> int:
    """Promotes; 2 where there is no such version."""
    return run_command("promote", PromoteConfig, _promote, arguments)


def _promote(config: PromoteConfig) -> None:
    for model in models_in(config.models_dir, config.model):
        say_moved(model, *promote(config.models_dir, model, config.to))
