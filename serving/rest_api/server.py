"""The listening REST server: uvicorn on a socket of ours, in a thread of its own."""

import ssl
import threading
from collections.abc import Callable

import uvicorn

from serving.config.addresses import listen
from serving.config.server_config import ServerConfig
from serving.rest_api.app import RestApi


class RestServer:
    """One listening server; `start` begins to answer, `stop` drains."""

    def __init__(self, config: ServerConfig, api: RestApi) -> None:
        self._socket = listen(config.bind_address, config.rest_api_port)
        self.port = self._socket.getsockname()[1]
        tls = config.tls
        self._server = uvicorn.Server(
            uvicorn.Config(
                api.app,
                log_config=None,
                access_log=False,
                lifespan="off",
                timeout_keep_alive=75,
                timeout_graceful_shutdown=int(config.drain_seconds),
                ssl_context_factory=_give(tls.ssl_context()) if tls else None,
            )
        )
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="rest"
        )

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self, drain_s: float) -> None:
        """Refuse new connections, wait up to `drain_s` for requests in flight, then end."""
        self._server.should_exit = True
        self._thread.join(drain_s + 5)


def _give(context: ssl.SSLContext) -> Callable[..., ssl.SSLContext]:
    return lambda *_: context
