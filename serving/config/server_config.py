"""The server's settings, by TensorFlow Serving's flag names, and what holds between them."""

import dataclasses
import ipaddress
from dataclasses import dataclass
from pathlib import Path

from serving.config.flag_groups import (
    BatchingFlags,
    ListeningFlags,
    ModelFlags,
    OperationFlags,
    RequestFlags,
    TensorflowFlags,
)
from serving.errors import StartError

DEFAULT_METRICS_PATH = "/monitoring/prometheus/metrics"


# The base classes stand in reverse: dataclasses collect the fields of the last base first.
@dataclass(frozen=True, kw_only=True)
class ServerConfig(
    OperationFlags, RequestFlags, TensorflowFlags, BatchingFlags, ModelFlags, ListeningFlags
):
    """One server; its fields, the flags, stand by group in `flag_groups.py`."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value, bounds = getattr(self, field.name), field.metadata
            if bounds and not bounds["least"] <= value <= bounds["most"]:
                raise StartError(
                    f"--{field.name} must be from {bounds['least']} to {bounds['most']}, "
                    f"got {value}"
                )
        self._check_models()
        self._check_combinations()

    @property
    def listens_on_loopback_only(self) -> bool:
        """Whether only processes of this machine can connect."""
        has_tcp = self.rest_api_port or self.port or not self.grpc_socket_path
        return not has_tcp or _is_loopback(self.bind_address)

    def _check_models(self) -> None:
        if not self.model_base_path and not self.model_config_file:
            raise StartError(
                "Failed to start server. Error: INVALID_ARGUMENT: Both "
                "server_options.model_base_path and server_options.model_config_file are empty!"
            )
        if self.model_base_path and not Path(self.model_base_path).is_absolute():
            raise StartError(
                f"Expected model {self.model_name} to have an absolute path or URI; "
                f"got base_path()={self.model_base_path}"
            )

    def _check_combinations(self) -> None:
        if self.batching_parameters_file and not self.enable_batching:
            raise StartError(
                "Failed to start server. Error: INVALID_ARGUMENT: "
                "server_options.batching_parameters_file is set without setting "
                "server_options.enable_batching to true."
            )
        if self.port and self.port == self.rest_api_port:
            raise StartError(f"--port and --rest_api_port are both {self.port}: give two ports")
        if (
            self.tensorflow_session_parallelism
            and self.tensorflow_intra_op_parallelism
            and self.tensorflow_inter_op_parallelism
        ):
            raise StartError(
                "Failed to start server. Error: INVALID_ARGUMENT: Either configure "
                "server_options.tensorflow_session_parallelism or "
                "(server_options.tensorflow_intra_op_parallelism, "
                "server_options.tensorflow_inter_op_parallelism) separately. "
                "You cannot configure all."
            )
        if self.mixed_precision not in {"", "bfloat16"}:
            raise StartError(
                f'--mixed_precision must be "bfloat16" or empty, got "{self.mixed_precision}"'
            )


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"
