"""The server's settings, by TensorFlow Serving's flag names, and what holds between them."""

import dataclasses
import functools
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
from serving.config.tls import Tls, read_tls
from serving.errors import StartError


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
    def listens_for_grpc_on_tcp(self) -> bool:
        """Whether there is a gRPC port beside the UNIX socket."""
        return bool(self.port) or not self.grpc_socket_path

    @functools.cached_property
    def tls(self) -> Tls | None:
        """What ssl_config_file says; None without one.

        Raises:
            StartError: the file is of no use.
        """
        return read_tls(self.ssl_config_file)

    @property
    def allows_config_reload(self) -> bool:
        """Whether HandleReloadConfigRequest, which may name any folder, is obeyed.

        It is where only this machine, or a client with a certificate, can send it.
        """
        if self.allow_config_reload_beyond_loopback or not self.listens_for_grpc_on_tcp:
            return True
        return _is_loopback(self.bind_address) or (self.tls is not None and self.tls.client_verify)

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
