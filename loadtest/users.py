"""The users of the load test: each sends a photo, waits for the answer, and sends the next.

Locust must be imported before grpc here: it replaces the socket module by gevent's, and
`init_gevent` then makes gRPC wait through gevent. Without it all users take turns.
"""

import functools
import itertools
import random
import time
from pathlib import Path
from typing import Any

from locust import FastHttpUser, User, task  # isort: skip
from locust.exception import StopUser  # isort: skip
import gevent
import grpc
import grpc.experimental.gevent

from loadtest.errors import LoadTestError
from loadtest.loopback import require_loopback
from loadtest.payload import grpc_body, rest_body, rest_path
from loadtest.photos import draw_photos, read_photos
from loadtest.wire import PREDICT_METHOD

_DEADLINE_S = 60.0
_user_numbers = itertools.count()


class RestJpegUser(FastHttpUser):
    """Posts one JPEG in base64 to the REST predict call, again and again."""

    network_timeout = _DEADLINE_S
    connection_timeout = _DEADLINE_S

    def on_start(self) -> None:
        """Encodes every photo once."""
        options = self.environment.parsed_options
        photos = _photos_for(self.host, self.environment)
        self.path = rest_path(options.model_name)
        self.bodies = _endless([rest_body(photo) for photo in photos], options.seed)

    @task
    def predict(self) -> None:
        """Sends the next photo; an answer without probabilities is a failure."""
        with self.client.post(
            self.path,
            data=next(self.bodies),
            headers={"Content-Type": "application/json"},
            catch_response=True,
        ) as response:
            if response.status_code == 200 and b'"probabilities"' not in response.content:
                response.failure("an answer without probabilities")


class GrpcJpegUser(User):
    """Sends one JPEG as a string tensor to the gRPC Predict call, again and again."""

    def on_start(self) -> None:
        """Encodes every photo once and opens this user's own connection."""
        options = self.environment.parsed_options
        grpc.experimental.gevent.init_gevent()
        # Channels with equal arguments share one connection unless they are told not to.
        self.channel = grpc.insecure_channel(
            options.grpc_address, options=[("grpc.use_local_subchannel_pool", 1)]
        )  # it connects with its first call
        photos = _photos_for(options.grpc_address, self.environment)
        self.call = self.channel.unary_unary(PREDICT_METHOD, None, None)
        bodies = [grpc_body(photo, options.model_name) for photo in photos]
        self.bodies = _endless(bodies, options.seed)

    def on_stop(self) -> None:
        """Closes the connection."""
        self.channel.close()

    @task
    def predict(self) -> None:
        """Sends the next photo; the answer is taken as bytes, unread."""
        request = next(self.bodies)
        answer, failure = b"", None
        start_s = time.perf_counter()
        try:
            answer = self.call(request, timeout=_DEADLINE_S)
        except grpc.RpcError as error:
            failure = error
        latency_ms = (time.perf_counter() - start_s) * 1000
        self.environment.events.request.fire(
            request_type="gRPC",
            name=PREDICT_METHOD,
            response_time=latency_ms,
            response_length=len(answer),
            exception=failure,
            context={},
        )


def _photos_for(address: str, environment: Any) -> list[bytes]:  # noqa: ANN401 - Locust is untyped
    """The photos to send to an address; ends the test if there are none, or it is not ours."""
    options = environment.parsed_options
    try:
        if not options.allow_other_hosts:
            require_loopback(address)
        return _read_once(options.photos)
    except LoadTestError as error:
        environment.process_exit_code = 2
        # With the web page only the test ends; a user cannot end it from its own greenlet.
        gevent.spawn(environment.runner.quit if options.headless else environment.runner.stop)
        raise StopUser(str(error)) from error


@functools.cache
def _read_once(folder: str) -> list[bytes]:
    return read_photos(Path(folder)) if folder else draw_photos(seed=0)


def _endless(bodies: list[bytes], seed: int) -> "itertools.cycle[bytes]":
    """All bodies in this user's own order, for ever."""
    order = random.Random(seed * 1000 + next(_user_numbers))  # noqa: S311 - a shuffle, no secret
    return itertools.cycle(order.sample(bodies, len(bodies)))
