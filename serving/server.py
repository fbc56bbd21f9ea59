"""A server's life: load, listen, say so, wait for a signal, drain, end."""

import logging
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import prometheus_client

from serving.batching.batch_function import BatchingParameters, read_batching_parameters
from serving.config.addresses import check_addresses, grpc_listener, host_port
from serving.config.monitoring import metrics_path
from serving.config.server_config import ServerConfig
from serving.config.session_config import session_config
from serving.grpc_api.api import GrpcApi
from serving.grpc_api.server import GrpcServer
from serving.models.config import model_configs
from serving.models.servable import LoadOptions, Servable
from serving.models.store import Loader, ModelStore
from serving.models.warmup import warm_up
from serving.monitoring.metrics import Metrics
from serving.rest_api.app import RestApi, RestLimits
from serving.rest_api.server import RestServer
from serving.runtime.library_pages import give_back_library_pages
from serving.runtime.tensorflow_library import disable_xla, tensorflow_library
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
        listener, metrics_page = grpc_listener(config), metrics_path(config)
        check_addresses(config)
        tensorflow_library()
        if not (config.xla_cpu_compilation_enabled or config.xla_gpu_compilation_enabled):
            disable_xla()
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
        self._grpc = GrpcServer(GrpcApi(service, metrics), listener)
        rest_api = RestApi(service, metrics, _rest_limits(config), metrics_page)
        self._rest = RestServer(config, rest_api) if config.rest_api_port else None

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT, then finish the requests in flight."""
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: self._stop.set())
        _log.info("listening: %s; Ctrl-C stops", ", ".join(self._where()))
        self._grpc.start()
        if self._rest:
            self._rest.start()
        self._store.start(self._show_readiness)
        self._stop.wait()
        self._drain()

    def _where(self) -> Iterator[str]:
        config = self._config
        if config.listens_for_grpc_on_tcp:
            yield f"gRPC on {host_port(config.bind_address, self._grpc.port)}"
        if config.grpc_socket_path:
            yield f"gRPC on unix:{config.grpc_socket_path}"
        if self._rest:
            scheme = "https" if config.tls else "http"
            yield f"REST on {scheme}://{host_port(config.bind_address, self._rest.port)}"

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
        if self._config.grpc_socket_path:
            Path(self._config.grpc_socket_path).unlink(missing_ok=True)
        _log.info("stopped")


def _rest_limits(config: ServerConfig) -> RestLimits:
    return RestLimits(
        max_body_bytes=config.rest_api_max_body_mb << 20,
        timeout_s=config.rest_api_timeout_in_ms / 1000,
        threads=config.rest_api_num_threads,
    )


def _loader(config: ServerConfig, metrics: Metrics) -> Loader:
    options = LoadOptions(
        session_config=session_config(config),
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


def _batching(config: ServerConfig) -> BatchingParameters | None:
    if not config.enable_batching:
        return None
    if not config.batching_parameters_file:
        return BatchingParameters()
    return read_batching_parameters(Path(config.batching_parameters_file))


def listen_log() -> None:
    """Log to standard error, one line an event."""
    logging.basicConfig(
        level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname).1s %(message)s"
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    # Bytes that are no message get their answer; a traceback for each would flood the log.
    logging.getLogger("grpc._common").setLevel(logging.CRITICAL)
