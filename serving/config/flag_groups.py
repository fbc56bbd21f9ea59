"""The server's flags, by group: each class is a group, each field a flag with its meaning.

A flag that TensorFlow Serving has keeps its name and meaning, and its default where the field
says nothing else. The fields are the single source of the parser, `--help`, the checks of bounds
and the table in docs/server-flags.md (`python -m serving.config` writes it anew).
"""

import os
from dataclasses import dataclass, field
from typing import Any

_DAY_S = 86400
_THREADS = max(32, 4 * (os.cpu_count() or 1))


def _within(default: float, least: float, most: float) -> Any:  # noqa: ANN401 - a field of any type
    return field(default=default, metadata={"least": least, "most": most})


@dataclass(frozen=True, kw_only=True)
class ListeningFlags:
    """Listening."""

    port: int = _within(8500, 0, 65535)
    """Port of the gRPC API; 0 takes a free one, or none where grpc_socket_path is given."""

    grpc_socket_path: str = ""
    """UNIX socket on which the gRPC API listens as well."""

    rest_api_port: int = _within(0, 0, 65535)
    """Port of the REST API; 0 serves no REST."""

    bind_address: str = "127.0.0.1"
    """Address to listen on; 0.0.0.0 for every one (TensorFlow Serving's default)."""

    ssl_config_file: str = ""
    """SSLConfig in text format: TLS, and mutual TLS with client_verify, for gRPC and REST."""

    grpc_channel_arguments: str = ""
    """Options of the gRPC server: grpc.max_connection_age_ms=2000,grpc.max_metadata_size=9000."""

    allow_config_reload_beyond_loopback: bool = False
    """Obey HandleReloadConfigRequest from other machines even without mutual TLS."""


@dataclass(frozen=True, kw_only=True)
class ModelFlags:
    """Models and their versions."""

    model_name: str = "default"
    """Name of the model below model_base_path."""

    model_base_path: str = ""
    """Folder of the model: its versions are the sub-folders named by integers."""

    model_config_file: str = ""
    """ModelServerConfig in text format: several models, version policies, labels."""

    model_config_file_poll_wait_seconds: float = _within(0.0, 0, _DAY_S)
    """Seconds between two readings of model_config_file; 0 reads it once."""

    file_system_poll_wait_seconds: float = _within(1.0, 0, _DAY_S)
    """Seconds between two looks for new versions; 0 looks once."""

    allow_version_labels_for_unavailable_models: bool = False
    """Let a label that is not in use name a version that does not serve yet."""

    num_load_threads: int = _within(0, 0, 1024)
    """Versions that load at the same time; 0 loads one after the other."""

    num_unload_threads: int = _within(0, 0, 1024)
    """Versions that unload at the same time; 0 unloads one after the other."""

    max_num_load_retries: int = _within(5, 0, 2**31 - 1)
    """How often a version that failed to load is tried again."""

    load_retry_interval_micros: int = _within(60_000_000, -(2**63), 2**63 - 1)
    """Microseconds between two tries; negative does not wait."""

    enable_model_warmup: bool = True
    """Run the requests in assets.extra/tf_serving_warmup_requests before a version serves."""

    num_request_iterations_for_warmup: int = _within(0, 0, 2**31 - 1)
    """How often each warm-up request runs; 0 runs it once."""


@dataclass(frozen=True, kw_only=True)
class BatchingFlags:
    """Batching."""

    enable_batching: bool = False
    """Join concurrent requests into batches."""

    batching_parameters_file: str = ""
    """BatchingParameters in text format; needs enable_batching."""

    enable_per_model_batching_parameters: bool = False
    """Read batching_params.pbtxt in the version's folder; it takes the place of the file above."""


@dataclass(frozen=True, kw_only=True)
class TensorflowFlags:
    """TensorFlow's session."""

    saved_model_tags: str = "serve"
    """Comma-separated tags of the MetaGraph to load."""

    tensorflow_session_parallelism: int = _within(0, 0, 4096)
    """Sets both of the next two, where they are 0."""

    tensorflow_intra_op_parallelism: int = _within(0, 0, 4096)
    """Threads of one operation; 0 takes all cores."""

    tensorflow_inter_op_parallelism: int = _within(0, 0, 4096)
    """Operations at the same time; 0 takes all cores."""

    tensorflow_session_config_file: str = ""
    """ConfigProto in text format; the flags of this group go before what it says."""

    per_process_gpu_memory_fraction: float = _within(0.0, 0.0, 1.0)
    """Share of the GPU's memory to take; 0 leaves it to TensorFlow."""

    mixed_precision: str = ""
    """bfloat16 computes in bfloat16 where oneDNN can; empty computes as the model says."""

    xla_cpu_compilation_enabled: bool = True
    """Let models compile functions by XLA (jit_compile); TensorFlow Serving has false."""

    xla_gpu_compilation_enabled: bool = False
    """The same, for CPU and GPU."""


@dataclass(frozen=True, kw_only=True)
class RequestFlags:
    """Requests and answers."""

    validate_input_shapes: bool = True
    """Refuse tensors that contradict the signature's shape; false as TensorFlow Serving."""

    enable_serialization_as_tensor_content: bool = False
    """Put the tensors of gRPC answers into tensor_content, which is faster to read."""

    grpc_max_threads: int = _within(_THREADS, 1, 4096)
    """gRPC requests handled at the same time."""

    rest_api_num_threads: int = _within(_THREADS, 1, 4096)
    """REST requests handled at the same time."""

    rest_api_timeout_in_ms: int = _within(30000, 1, 2**31 - 1)
    """Longest time that a REST request may take."""

    rest_api_enable_cors_support: bool = False
    """Answer browsers of other origins (CORS)."""

    rest_api_max_body_mb: int = _within(32, 1, 2048)
    """Largest REST request, in MiB after decompression."""


@dataclass(frozen=True, kw_only=True)
class OperationFlags:
    """Operations."""

    monitoring_config_file: str = ""
    """MonitoringConfig in text format; without it the metrics are at TensorFlow Serving's path."""

    enable_grpc_healthcheck_service: bool = True
    """Offer the standard gRPC health service."""

    drain_seconds: float = _within(30.0, 0, 3600)
    """Longest wait, after SIGTERM and for a replaced version, for requests in flight."""
