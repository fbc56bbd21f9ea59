"""Where the server listens, taken or refused before any model is loaded."""

import os
import socket
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import grpc
import psutil

from serving.config.server_config import ServerConfig
from serving.errors import StartError

_MOST_SOCKET_PATH_BYTES = 103  # sun_path of macOS; Linux has 107


def check_addresses(config: ServerConfig) -> None:
    """Look whether every address is free.

    Raises:
        StartError: a port or the UNIX socket is in use; names it, and its process if it can.
    """
    if config.listens_for_grpc_on_tcp:
        _refuse_port_in_use("port", config.bind_address, config.port)
    if config.rest_api_port:
        _refuse_port_in_use("rest_api_port", config.bind_address, config.rest_api_port)
    if config.grpc_socket_path:
        _take_socket_path(config.grpc_socket_path)


@dataclass(frozen=True, kw_only=True)
class GrpcListener:
    """Where and how the gRPC server listens."""

    addresses: Sequence[str]
    """In gRPC's notation; the port, if there is one, comes first."""

    max_threads: int
    credentials: grpc.ServerCredentials | None
    """TLS; None for plain text."""

    options: Sequence[tuple[str, int | str]]
    """Channel arguments."""


def grpc_listener(config: ServerConfig) -> GrpcListener:
    """What the flags say of gRPC.

    Raises:
        StartError: a channel argument has no `=`, or the TLS file is of no use.
    """
    addresses = []
    if config.listens_for_grpc_on_tcp:
        addresses.append(host_port(config.bind_address, config.port))
    if config.grpc_socket_path:
        addresses.append(f"unix:{config.grpc_socket_path}")
    return GrpcListener(
        addresses=addresses,
        max_threads=config.grpc_max_threads,
        credentials=config.tls.grpc_credentials() if config.tls else None,
        options=_channel_options(config.grpc_channel_arguments),
    )


def listen(address: str, port: int) -> socket.socket:
    """A listening TCP socket.

    Raises:
        OSError: the address is in use or not of this machine.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return socket.create_server((address, port), family=family, backlog=1024)


def host_port(address: str, port: int) -> str:
    """`127.0.0.1:8500`, `[::1]:8500`."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _channel_options(text: str) -> list[tuple[str, int | str]]:
    """The options in `key=value,key=value`; a value that reads as an integer is one."""
    options: list[tuple[str, int | str]] = []
    for entry in filter(None, text.split(",")):
        key, equals, value = entry.partition("=")
        if not key or not equals:
            raise StartError(f"--grpc_channel_arguments: expected key=value, got {entry}")
        is_integer = value.removeprefix("-").isascii() and value.removeprefix("-").isdigit()
        options.append((key, int(value) if is_integer else value))
    return options


def _refuse_port_in_use(flag: str, address: str, port: int) -> None:
    try:
        listen(address, port).close()
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error
        raise StartError(
            f"cannot listen on {host_port(address, port)} (--{flag}): {reason}{_owner(port)}; "
            f"stop that process or choose another --{flag}"
        ) from error


def _owner(port: int) -> str:
    try:
        for connection in psutil.net_connections("tcp"):
            if connection.status == psutil.CONN_LISTEN and connection.laddr[1:] == (port,):
                name = psutil.Process(connection.pid).name() if connection.pid else "?"
                return f", used by process {connection.pid} ({name})"
    except psutil.Error:
        pass
    return ""


def _take_socket_path(text: str) -> None:
    """Remove a socket that nobody listens on; gRPC itself would take over one that is in use."""
    path = Path(text)
    where = f"cannot listen on {path} (--grpc_socket_path)"
    if len(os.fsencode(text)) > _MOST_SOCKET_PATH_BYTES:
        raise StartError(f"{where}: a socket's path has at most {_MOST_SOCKET_PATH_BYTES} bytes")
    if not path.parent.is_dir():
        raise StartError(f"{where}: there is no folder {path.parent}")
    try:
        is_socket = stat.S_ISSOCK(path.lstat().st_mode)
    except FileNotFoundError:
        return
    if not is_socket:
        raise StartError(f"{where}: it is there and no socket; choose another path")
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1)
        try:
            probe.connect(text)
        except ConnectionRefusedError:
            path.unlink()
            return
        except OSError as error:
            raise StartError(f"{where}: {error.strerror or error}") from error
    raise StartError(f"{where}: another process listens there; stop it or choose another path")
