"""Whether a `models.config` (ModelServerConfig) starts a server, and names the model."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf import text_format
from tensorflow_serving.config import model_server_config_pb2

from export.preflight.finding import Finding, fails, not_applicable, ok, warning
from export.preflight.versions import versions_under

NAME = "models config"


def check_models_config(path: Path | None, given: Path, version: Path | None) -> Finding:
    """Everything that would keep a server from serving by it.

    Args:
        path: the file; None where none is given.
        given: the model's or version's folder that the check was asked about.
        version: the version's folder, where there is one.
    """
    if path is None:
        return not_applicable(NAME, "No --config file is given.")
    try:
        text = path.read_text(encoding="utf-8")
        message = text_format.Parse(text, model_server_config_pb2.ModelServerConfig())
    except (OSError, text_format.ParseError, UnicodeDecodeError) as error:
        return fails(
            NAME, f"{path} does not parse: {error}.", "Write it as in TensorFlow Serving's docs."
        )
    models = list(message.model_config_list.config)
    wrong = [*_wrong_list(models), *(why for model in models for why in _wrong_model(model))]
    folder = (given if version is None else version.parent).resolve()
    served = [model for model in models if Path(model.base_path).resolve() == folder]
    if not served:
        wrong.append(f"no model in it has the base path {folder}")
    if wrong:
        return fails(NAME, f"{path}: {'; '.join(wrong)}.", "Mend the file; each is named in it.")
    return _served(path, served[0], version)


def _wrong_list(models: list[Any]) -> Iterator[str]:
    if not models:
        yield "it lists no model"
    for name, count in Counter(model.name for model in models).items():
        if count > 1:
            yield f"model {name} is listed {count} times"


def _wrong_model(model: Any) -> Iterator[str]:  # noqa: ANN401
    if not model.model_platform and not model.model_type:
        yield f'model {model.name} has no model_platform: "tensorflow"'
    if not Path(model.base_path).is_absolute():
        yield f"model {model.name} has a relative base_path, {model.base_path!r}"
        return
    versions = _loaded(model)
    if not versions:
        yield f"no versions found under base path {model.base_path} of model {model.name}"
        return
    for label, number in sorted(model.version_labels.items()):
        if number not in versions:
            yield (
                f"label {label} of model {model.name} names version {number}, "
                f"loaded are {', '.join(map(str, versions))}"
            )


def _loaded(model: Any) -> list[int]:  # noqa: ANN401
    """The versions that the model's policy loads, of those that are there."""
    there = sorted(versions_under(Path(model.base_path)))
    policy = model.model_version_policy
    chosen = policy.WhichOneof("policy_choice")
    if chosen == "all":
        return there
    if chosen == "specific":
        return [number for number in there if number in policy.specific.versions]
    return there[-max(1, policy.latest.num_versions) :]


def _served(path: Path, model: Any, version: Path | None) -> Finding:  # noqa: ANN401
    loaded = _loaded(model)
    there = versions_under(Path(model.base_path))
    if version is not None and version.resolve() not in {there[each].resolve() for each in loaded}:
        return warning(
            NAME,
            f"{path} loads {', '.join(map(str, loaded))} of model {model.name}, not this version.",
            "Change its model_version_policy, where this version is to be served.",
        )
    if model.version_labels:
        return warning(
            NAME,
            f"{path} serves it as {model.name}, with labels: a server that starts with them ends, "
            "because no version is available yet.",
            "Start it with --allow_version_labels_for_unavailable_models.",
        )
    return ok(NAME, f"{path} serves it as {model.name}.")
