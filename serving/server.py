"""A server's life: load, listen, say so, wait for a signal, drain, end."""

import logging
import os
import signal
import socket
import sys
import threading
from pathlib import Path

import prometheus_client
import psutil
import uvicorn

from serving.batching.batch_function import BatchingParameters, read_batching_parameters
from serving.config.server_config import DEFAULT_METRICS_PATH, ServerConfig
from serving.config.text_protos import new_message, read_text_proto
from serving.errors import StartError
from serving.grpc_api.api import GrpcApi, GrpcServer
from serving.messages import config_pb2
from serving.models.config import model_configs
from serving.models.servable import LoadOptions, Servable
from serving.models.store import Loader, ModelStore
from serving.models.warmup import warm_up
from serving.monitoring.metrics import Metrics
from serving.rest_api.app import RestApi, RestLimits
from serving.runtime.library_pages import give_back_library_pages
from serving.runtime.tensorflow_library import tensorflow_library
from serving.service import Service

_log = logging.getLogger(__name__)


class Server:
    """One running server; `run` returns when it has drained."""

    def __init__(self, config: ServerConfig) -> None:
        """Read the configuration files and take the ports.

        Raises:
            StartError: a file is wrong or a port is in use; names it.
        """
        self._config = config
        self._stop = threading.Event()
        self._was_ready = False
        models = model_configs(config)
        _refuse_port_in_use("port", config.bind_address, config.port)
        _refuse_port_in_use("rest_api_port", config.bind_address, config.rest_api_port)
        tensorflow_library()
        give_back_library_pages()
        metrics = Metrics(prometheus_client.CollectorRegistry())
        for model in models:
            metrics.know_model(model.name)
        self._store = ModelStore(
            models,
            _loader(config, metrics),
            poll_s=config.file_system_poll_wait_seconds,
            drain_s=config.drain_seconds,
        )
        service = Service(self._store)
        self._grpc = GrpcServer(
            GrpcApi(service, metrics),
            f"{config.bind_address}:{config.port}",
            config.grpc_max_threads,
        )
        self._rest = _RestServer(config, service, metrics) if config.rest_api_port else None

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT, then finish the requests in flight."""
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: self._stop.set())
        where = self._config.bind_address
        rest = f", REST on http://{where}:{self._rest.port}" if self._rest else ""
        _log.info("listening: gRPC on %s:%d%s; Ctrl-C stops", where, self._grpc.port, rest)
        self._grpc.start()
        if self._rest:
            self._rest.start()
        self._store.start(self._show_readiness)
        self._stop.wait()
        self._drain()

    def _show_readiness(self) -> None:
        is_ready = self._store.is_ready()
        if is_ready != self._was_ready:
            _log.info("ready" if is_ready else "NOT ready: a model has no version to serve")
            self._grpc.set_ready(is_ready=is_ready)
        self._was_ready = is_ready

    def _drain(self) -> None:
        _log.info("stopping: finishing the requests in flight")
        self._was_ready = False
        self._grpc.set_ready(is_ready=False)
        self._store.begin_stop()
        if self._rest:
            self._rest.stop(self._config.drain_seconds)
        self._grpc.stop(self._config.drain_seconds)
        self._store.stop()
        _log.info("stopped")


class _RestServer:
    """uvicorn on a socket of ours, in a thread of its own."""

    def __init__(self, config: ServerConfig, service: Service, metrics: Metrics) -> None:
        limits = RestLimits(
            max_body_bytes=config.rest_api_max_body_mb << 20,
            timeout_s=config.rest_api_timeout_in_ms / 1000,
            threads=config.rest_api_num_threads,
        )
        api = RestApi(service, metrics, limits, _metrics_path(config))
        self._socket = socket.create_server(
            (config.bind_address, config.rest_api_port), backlog=1024
        )
        self.port = self._socket.getsockname()[1]
        self._server = uvicorn.Server(
            uvicorn.Config(
                api.app,
                log_config=None,
                access_log=False,
                lifespan="off",
                timeout_keep_alive=75,
                timeout_graceful_shutdown=int(config.drain_seconds),
            )
        )
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="rest"
        )

    def start(self) -> None:
        self._thread.start()

    def stop(self, drain_s: float) -> None:
        self._server.should_exit = True
        self._thread.join(drain_s + 5)


def _loader(config: ServerConfig, metrics: Metrics) -> Loader:
    options = LoadOptions(
        session_config=_session_config(config),
        tags=config.saved_model_tags.split(","),
        batching=_batching(config),
        validates_shapes=config.validate_input_shapes,
    )

    def load(name: str, version: int, folder: Path) -> Servable:
        servable = Servable(name, version, folder, options, metrics)
        if config.enable_model_warmup:
            try:
                warm_up(servable, folder)
            except BaseException:
                servable.close(0)
                raise
        given_back = give_back_library_pages()
        _log.debug("gave back %d MB of TensorFlow's code", given_back >> 20)
        return servable

    return load


def _session_config(config: ServerConfig) -> config_pb2.ConfigProto:
    both = config.tensorflow_session_parallelism
    return config_pb2.ConfigProto(
        intra_op_parallelism_threads=config.tensorflow_intra_op_parallelism or both,
        inter_op_parallelism_threads=config.tensorflow_inter_op_parallelism or both,
    )


def _batching(config: ServerConfig) -> BatchingParameters | None:
    if not config.enable_batching:
        return None
    if not config.batching_parameters_file:
        return BatchingParameters()
    return read_batching_parameters(Path(config.batching_parameters_file))


def _metrics_path(config: ServerConfig) -> str:
    if not config.monitoring_config_file:
        return DEFAULT_METRICS_PATH
    message = new_message("MonitoringConfig")
    read_text_proto(Path(config.monitoring_config_file), message)
    return message.prometheus_config.path or DEFAULT_METRICS_PATH


def _refuse_port_in_use(flag: str, address: str, port: int) -> None:
    """Raises StartError where another process listens on the port, naming it if it can be seen."""
    try:
        socket.create_server((address, port)).close()
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise StartError(
            f"cannot listen on {address}:{port} (--{flag}): {reason}{_owner(port)}; "
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


def listen_log() -> None:
    """Log to standard error, one line an event."""
    logging.basicConfig(
        level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname).1s %(message)s"
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
