"""The listening gRPC server with its health service."""

from concurrent.futures import ThreadPoolExecutor

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from serving.config.addresses import GrpcListener
from serving.errors import StartError
from serving.grpc_api.api import MODEL_SERVICE, PREDICTION_SERVICE, GrpcApi


class GrpcServer:
    """The listening gRPC server with its health service."""

    def __init__(self, api: GrpcApi, listener: GrpcListener) -> None:
        """Listen (on port 0: take a free one).

        Raises:
            StartError: an address cannot be listened on.
        """
        self._health = health.HealthServicer()
        self._server = grpc.server(
            ThreadPoolExecutor(listener.max_threads, thread_name_prefix="grpc"),
            options=[
                ("grpc.max_receive_message_length", -1),
                ("grpc.max_send_message_length", -1),
                ("grpc.so_reuseport", 0),
                *listener.options,
            ],
        )
        self._server.add_generic_rpc_handlers(api.handlers())
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        ports = [self._listen(address, listener.credentials) for address in listener.addresses]
        self.port = ports[0]
        self.set_ready(is_ready=False)

    def _listen(self, address: str, credentials: grpc.ServerCredentials | None) -> int:
        try:
            if credentials is None:
                return self._server.add_insecure_port(address)
            return self._server.add_secure_port(address, credentials)
        except RuntimeError as error:
            raise StartError(
                f"Failed to BuildAndStart gRPC server: cannot listen on {address}"
            ) from error

    def start(self) -> None:
        """Begin to answer."""
        self._server.start()

    def set_ready(self, *, is_ready: bool) -> None:
        """Tell the health service's watchers."""
        status = health_pb2.HealthCheckResponse
        for name in ("", PREDICTION_SERVICE, MODEL_SERVICE):
            self._health.set(name, status.SERVING if is_ready else status.NOT_SERVING)

    def stop(self, drain_s: float) -> None:
        """Refuse new calls, wait up to `drain_s` for those in flight, then end."""
        self._server.stop(drain_s).wait()
