"""Which models a server holds, and which of their versions: TensorFlow Serving's model config."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from serving.config.server_config import ServerConfig
from serving.config.text_protos import read_text_proto
from serving.errors import StartError
from serving.messages import model_server_config_pb2


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """One model: where its versions lie and which of them to serve."""

    name: str
    base_path: Path
    latest: int = 1
    """How many of the newest versions to serve; 0 for all of them."""

    specific: frozenset[int] = frozenset()
    """Serve exactly these versions, where there are any."""

    labels: Mapping[str, int] = field(default_factory=dict)
    """Names for versions that a request may use in place of the number."""

    def wanted_versions(self, found: Iterable[int]) -> list[int]:
        """The versions to serve of those found on disk, oldest first."""
        ordered = sorted(found)
        if self.specific:
            return [version for version in ordered if version in self.specific]
        return ordered[-self.latest :]


def model_configs(config: ServerConfig) -> list[ModelConfig]:
    """The models that the flags name.

    Raises:
        StartError: the file does not parse, a path is relative, or a name stands there twice.
    """
    if not config.model_config_file:
        return [ModelConfig(name=config.model_name, base_path=Path(config.model_base_path))]
    message = model_server_config_pb2.ModelServerConfig()
    listed = read_text_proto(Path(config.model_config_file), message).model_config_list.config
    models = [_read(entry) for entry in listed]
    if not models:
        raise StartError(
            f"{config.model_config_file} lists no model: expected "
            'model_config_list { config { name: "..." base_path: "/..." } }'
        )
    names = [model.name for model in models]
    for name in names:
        if names.count(name) > 1:
            raise StartError(f"Illegal to list model {name} multiple times in config list")
    return models


def versions_on_disk(base_path: Path) -> dict[int, Path]:
    """The version folders of a model: those whose name is a number (`007` is version 7)."""
    if not base_path.is_dir():
        return {}
    return {
        int(folder.name): folder
        for folder in base_path.iterdir()
        if folder.name.isascii() and folder.name.isdigit() and folder.is_dir()
    }


def _read(entry: model_server_config_pb2.ModelConfig) -> ModelConfig:
    path = Path(entry.base_path)
    if not path.is_absolute():
        raise StartError(
            f"Expected model {entry.name} to have an absolute path or URI; "
            f"got base_path()={entry.base_path}"
        )
    policy = entry.model_version_policy
    chosen = policy.WhichOneof("policy_choice")
    return ModelConfig(
        name=entry.name,
        base_path=path,
        latest=0 if chosen == "all" else max(1, policy.latest.num_versions),
        specific=frozenset(policy.specific.versions),
        labels=dict(entry.version_labels),
    )
