"""Labels: names for versions, kept in the models.config that a server serves by.

    stable    what clients without a wish of their own get; moved by `promote` and `rollback`
    canary    the newest version, tried on some; moved by every export

The file is TensorFlow Serving's ModelServerConfig. What a user wrote into it stays: other models,
base paths as a server sees them, labels of other names.
"""

from pathlib import Path
from typing import Any

from google.protobuf import text_format
from tensorflow_serving.config import model_server_config_pb2

from export.errors import ExportError
from export.publishing.durable import replace_text
from export.publishing.version_folders import version_numbers

CONFIG_FILE = "models.config"
STABLE = "stable"
CANARY = "canary"

_HEAD = """\
# Which versions a server serves, and their labels; kept by `python -m export`.
# tensorflow_model_server --model_config_file=THIS --model_config_file_poll_wait_seconds=1 \\
#   --allow_version_labels_for_unavailable_models
# The last flag is needed because labels in a server's first config name versions not loaded yet.
# Where a server sees the models elsewhere, as in a container, change base_path: it is kept.
"""


class ModelLabels:
    """The file's content, read and changed under the folder's lock."""

    def __init__(self, models_dir: Path) -> None:
        """Reads it; a file that is not there is empty.

        Raises:
            ExportError: it does not parse; nothing of it is lost.
        """
        self._models_dir = models_dir
        self._path = models_dir / CONFIG_FILE
        self._config = model_server_config_pb2.ModelServerConfig()
        if self._path.is_file():
            try:
                text_format.Parse(self._path.read_text(encoding="utf-8"), self._config)
            except (text_format.ParseError, UnicodeDecodeError) as error:
                raise ExportError(
                    f"{self._path} does not parse as a ModelServerConfig ({error}): mend it, or "
                    "move it away to have a new one written"
                ) from error

    def of(self, model: str) -> dict[str, int]:
        """A model's versions by label."""
        entries = (one for one in self._config.model_config_list.config if one.name == model)
        return next((dict(one.version_labels) for one in entries), {})

    def put(self, model: str, labels: dict[str, int]) -> None:
        """Gives a model these labels; exactly the versions that carry one are served."""
        entry = self._entry(model)
        entry.version_labels.clear()
        entry.version_labels.update(labels)
        specific = entry.model_version_policy.specific
        del specific.versions[:]
        specific.versions.extend(sorted(set(labels.values())))

    def write(self) -> None:
        """Replaces the file as a whole."""
        replace_text(self._path, _HEAD + text_format.MessageToString(self._config))

    def _entry(self, model: str) -> Any:  # noqa: ANN401
        listed = self._config.model_config_list.config
        for entry in listed:
            if entry.name == model:
                return entry
        # TensorFlow Serving takes absolute paths only.
        path = str((self._models_dir / model).absolute())
        return listed.add(name=model, base_path=path, model_platform="tensorflow")


def label_newest(models_dir: Path, model: str) -> None:
    """Makes the newest version the canary, and, where there is none yet, the stable one.

    Raises:
        ExportError: the file does not parse.
    """
    labels = ModelLabels(models_dir)
    newest = max(version_numbers(models_dir / model))
    before = labels.of(model)
    after = {STABLE: newest, **before, CANARY: newest}
    if after != before:
        labels.put(model, after)
        labels.write()
