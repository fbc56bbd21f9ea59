"""A server under test as a process: started on its cores, awaited, and stopped by its own id."""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from loadtest.answers import Address, Answer
from loadtest.config import CompareConfig
from loadtest.cores import pin
from loadtest.errors import LoadTestError

_POLL_S = 0.02
_STOP_DEADLINE_S = 15.0
_LOG_LINES = 8


def choose_address(config: CompareConfig) -> Address:
    """Ports for the next server: those of the settings, or free ones where they say 0.

    Raises:
        LoadTestError: A port of the settings is in use.
    """
    with contextlib.ExitStack() as sockets:
        rest, grpc = (
            _bind(sockets.enter_context(socket.socket()), port, field)
            for field, port in (("rest_port", config.rest_port), ("grpc_port", config.grpc_port))
        )
    return Address(rest_port=rest, grpc_port=grpc)


@contextlib.contextmanager
def running(
    command: list[str], cores: tuple[int, ...], log: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a command while the block lasts, then ends it and all that it started.

    Args:
        command: What to run.
        cores: The cores that it and its children are held to.
        log: File that receives what it prints.

    Yields:
        The process. It leads a session of its own, so Ctrl-C at the terminal does not reach it
        and no process but its children is in its group.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        # A new process is still loading its interpreter here and has no threads yet.
        with contextlib.suppress(ProcessLookupError):
            pin(process.pid, cores)
        yield process
    finally:
        _stop(process)


def await_first_answer(
    process: subprocess.Popen[bytes],
    address: Address,
    ask: Callable[[], Answer],
    deadline_s: float,
    log: Path,
) -> Answer:
    """Waits until the server says it is ready, then asks it once.

    Args:
        process: The server.
        address: Where it will listen.
        ask: Asks for one photo.
        deadline_s: Longest wait, in seconds from now.
        log: What it prints; its last lines go into the error.

    Raises:
        LoadTestError: It ended, or was not ready in time, or its answer was no prediction.
    """
    end_s = time.perf_counter() + deadline_s
    while not _is_ready(address.rest_port):
        code = process.poll()
        if code is not None:
            raise LoadTestError(f"the server ended at its start (exit {code}): {last_lines(log)}")
        if time.perf_counter() > end_s:
            raise LoadTestError(f"the server was not ready in {deadline_s:g} s: {last_lines(log)}")
        time.sleep(_POLL_S)
    return ask()


def fetch_metrics(rest_port: int) -> str | None:
    """The server's Prometheus page, or None where it has none."""
    status, body = _get(rest_port, "/monitoring/prometheus/metrics")
    return body if status == http.client.OK else None


def last_lines(log: Path) -> str:
    """The last lines of a log as one line."""
    lines = log.read_text(errors="replace").strip().splitlines()[-_LOG_LINES:]
    return " | ".join(line.strip() for line in lines) or "it printed nothing"


def _bind(listener: socket.socket, port: int, field: str) -> int:
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError as error:
        raise LoadTestError(
            f"{field}: port {port} is in use: choose another, or 0 for any free one"
        ) from error
    return int(listener.getsockname()[1])


def _is_ready(rest_port: int) -> bool:
    status, _ = _get(rest_port, "/readyz")
    return status == http.client.OK


def _get(rest_port: int, path: str) -> tuple[int, str]:
    """A page's status and text; status 0 where there is no server."""
    connection = http.client.HTTPConnection("127.0.0.1", rest_port, timeout=5)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read().decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        return 0, ""
    finally:
        connection.close()


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Asks with SIGTERM; kills its group, which has only its own children, if that fails."""
    process.send_signal(signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_STOP_DEADLINE_S)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
