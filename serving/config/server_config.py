"""The server's settings, by TensorFlow Serving's flag names."""

import ast
import dataclasses
import inspect
import os
from dataclasses import dataclass
from pathlib import Path

from serving.errors import StartError

DEFAULT_METRICS_PATH = "/monitoring/prometheus/metrics"
_THREADS = max(32, 4 * (os.cpu_count() or 1))


@dataclass(frozen=True, kw_only=True)
class ServerConfig:
    """One server. A flag that TensorFlow Serving has keeps its name, meaning and default."""

    port: int = 8500
    """Port of the gRPC API; 0 takes a free one."""

    rest_api_port: int = 0
    """Port of the REST API; 0 serves no REST, as in TensorFlow Serving."""

    bind_address: str = "127.0.0.1"
    """Address to listen on; 0.0.0.0 for every one (TensorFlow Serving's default)."""

    model_name: str = "default"
    """Name of the model below model_base_path."""

    model_base_path: str = ""
    """Folder of the model: its versions are the sub-folders named by integers."""

    model_config_file: str = ""
    """ModelServerConfig in text format: several models, version policies, labels."""

    file_system_poll_wait_seconds: float = 1.0
    """Seconds between two looks for new versions; 0 looks once."""

    enable_batching: bool = False
    """Join concurrent requests into batches."""

    batching_parameters_file: str = ""
    """BatchingParameters in text format; needs enable_batching."""

    monitoring_config_file: str = ""
    """MonitoringConfig in text format; without it metrics are at the usual path all the same."""

    tensorflow_intra_op_parallelism: int = 0
    """Threads of one operation; 0 takes all cores."""

    tensorflow_inter_op_parallelism: int = 0
    """Operations at the same time; 0 takes all cores."""

    tensorflow_session_parallelism: int = 0
    """Sets both of the above, where they are 0."""

    saved_model_tags: str = "serve"
    """Comma-separated tags of the MetaGraph to load."""

    enable_model_warmup: bool = True
    """Run the requests in assets.extra/tf_serving_warmup_requests before a version serves."""

    validate_input_shapes: bool = True
    """Refuse tensors that contradict the signature's shape; false as TensorFlow Serving."""

    rest_api_timeout_in_ms: int = 30000
    """Longest time that a REST request may take."""

    rest_api_num_threads: int = _THREADS
    """REST requests handled at the same time."""

    grpc_max_threads: int = _THREADS
    """gRPC requests handled at the same time."""

    rest_api_max_body_mb: int = 32
    """Largest REST request, in MiB after decompression."""

    drain_seconds: float = 30.0
    """Longest wait, after SIGTERM and for a replaced version, for requests in flight."""

    def __post_init__(self) -> None:
        for name, least, most in (
            ("port", 0, 65535),
            ("rest_api_port", 0, 65535),
            ("file_system_poll_wait_seconds", 0, 86400),
            ("tensorflow_intra_op_parallelism", 0, 4096),
            ("tensorflow_inter_op_parallelism", 0, 4096),
            ("tensorflow_session_parallelism", 0, 4096),
            ("rest_api_timeout_in_ms", 1, 2**31),
            ("rest_api_num_threads", 1, 4096),
            ("grpc_max_threads", 1, 4096),
            ("rest_api_max_body_mb", 1, 2048),
            ("drain_seconds", 0, 3600),
        ):
            value = getattr(self, name)
            if not least <= value <= most:
                raise StartError(f"--{name} must be from {least} to {most}, got {value}")
        self._check_combinations()

    def _check_combinations(self) -> None:
        if not self.model_base_path and not self.model_config_file:
            raise StartError(
                "Failed to start server. Error: INVALID_ARGUMENT: Both "
                "server_options.model_base_path and server_options.model_config_file are empty!"
            )
        if self.batching_parameters_file and not self.enable_batching:
            raise StartError(
                "Failed to start server. Error: INVALID_ARGUMENT: "
                "server_options.batching_parameters_file is set without setting "
                "server_options.enable_batching to true."
            )
        if self.port and self.port == self.rest_api_port:
            raise StartError(f"--port and --rest_api_port are both {self.port}: give two ports")
        if self.model_base_path and not Path(self.model_base_path).is_absolute():
            raise StartError(
                f"Expected model {self.model_name} to have an absolute path or URI; "
                f"got base_path()={self.model_base_path}"
            )


def parse_flags(arguments: list[str]) -> ServerConfig:
    """The settings in command-line arguments, in the spellings that TensorFlow Serving takes.

    `--name=value`, `--name value`, and for booleans also `--name` and `--noname`.

    Raises:
        StartError: a flag is unknown, or its value is not of its type.
    """
    fields = {field.name: field for field in dataclasses.fields(ServerConfig)}
    given: dict[str, object] = {}
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        name, equals, text = argument.lstrip("-").partition("=")
        if not argument.startswith("-"):
            raise StartError(f"unknown argument: {argument}")
        if name.startswith("no") and name[2:] in fields and fields[name[2:]].type is bool:
            name, equals, text = name[2:], "=", "false"
        if name not in fields:
            raise StartError(f"unknown argument: {argument}")
        if not equals and fields[name].type is bool:
            text = "true"
        elif not equals:
            if not rest:
                raise StartError(f"flag --{name} needs a value")
            text = rest.pop(0)
        given[name] = _value(name, text, type(fields[name].default))
    return ServerConfig(**given)  # type: ignore[arg-type]


def usage() -> str:
    """One line for each flag: its name, default and meaning."""
    docs = _field_docs()
    lines = ["Usage: python -m serving --model_base_path=DIR [--flag=value ...]", "", "Flags:"]
    for field in dataclasses.fields(ServerConfig):
        lines.append(f"  --{field.name}={field.default!s}")
        lines.append(f"      {docs.get(field.name, '')}")
    return "\n".join(lines)


def _value(name: str, text: str, kind: type) -> object:
    try:
        if kind is bool:
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        return kind(text)
    except (KeyError, ValueError) as error:
        raise StartError(f"Couldn't interpret value {text} for flag {name}.") from error


def _field_docs() -> dict[str, str]:
    """The docstring below each field: the one place where a flag is explained."""
    body = ast.parse(inspect.getsource(ServerConfig)).body[0]
    assert isinstance(body, ast.ClassDef)
    return {
        statement.target.id: ast.literal_eval(comment.value)
        for statement, comment in zip(body.body, body.body[1:], strict=False)
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and isinstance(comment, ast.Expr)
    }
