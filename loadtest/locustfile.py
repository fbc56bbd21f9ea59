"""The Locust file: `locust -f loadtest/locustfile.py --host http://127.0.0.1:8501`.

Choose RestJpegUser or GrpcJpegUser in Locust's web page or behind the options. Without
--rows-file it is an ordinary Locust test; with it each request leaves a row, unrounded, and
--measured-requests ends the run. `python -m loadtest` drives it so.
"""

import csv
import time
from pathlib import Path
from typing import Any

from locust import events  # isort: skip - gevent's patches come before all else
import gevent

from loadtest.samples import ROW_FIELDS, whole_steps
from loadtest.users import GrpcJpegUser, RestJpegUser

__all__ = ["GrpcJpegUser", "RestJpegUser"]


@events.init_command_line_parser.add_listener
def add_options(parser: Any) -> None:  # noqa: ANN401 - Locust is untyped
    """Adds the load test's own options; Locust's web page shows them too."""
    parser.add_argument("--photos", default="", help="Folder tree of JPEG photos; empty: drawn")
    parser.add_argument("--model-name", default="resnet18", help="Model to ask")
    parser.add_argument("--grpc-address", default="127.0.0.1:8500", help="Where GrpcJpegUser calls")
    parser.add_argument("--seed", type=int, default=0, help="Seed of each user's order of photos")
    parser.add_argument("--rows-file", default="", help="CSV file to write a row a request to")
    parser.add_argument("--warmup-s", type=float, default=0.0, help="Seconds that are not measured")
    parser.add_argument("--min-s", type=float, default=0.0, help="Shortest measured window")
    parser.add_argument("--measured-requests", type=int, default=0, help="Then end; 0: do not")
    parser.add_argument(
        "--allow-other-hosts", action="store_true", help="Load machines other than this one"
    )


@events.init.add_listener
def keep_rows(environment: Any, **_: object) -> None:  # noqa: ANN401
    """Keeps a row a request where --rows-file asks for it."""
    if environment.parsed_options.rows_file:
        RawRows(environment)


class RawRows:
    """The rows of one run; ends the run when enough of them are measured."""

    def __init__(self, environment: Any) -> None:  # noqa: ANN401
        self._environment = environment
        self._options = environment.parsed_options
        self._rows: list[tuple[float, float, int, str, int]] = []
        self._window_start_s = 0.0
        self._steps = 0
        self._measured = 0
        self._is_closed = False
        environment.events.request.add_listener(self.add)
        environment.events.test_stopping.add_listener(self.close)
        environment.events.quit.add_listener(self.write)

    def add(
        self,
        response_time: float,
        response_length: int,
        exception: BaseException | None,
        **_: object,
    ) -> None:
        """Adds the row of a request that ended just now, under full load."""
        if self._is_closed:
            return
        end_s = time.perf_counter()
        error = "" if exception is None else f"{type(exception).__name__}: {exception}"[:200]
        start_s = end_s - response_time / 1000
        self._rows.append((start_s, response_time, int(not error), error, response_length or 0))
        self._end_when_enough(start_s, end_s)

    def close(self, **_: object) -> None:
        """Adds no more: the users are leaving, so the requests in flight end under less load."""
        self._is_closed = True

    def write(self, **_: object) -> None:
        """Writes all rows."""
        with Path(self._options.rows_file).open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(ROW_FIELDS)
            writer.writerows(self._rows)

    def _end_when_enough(self, start_s: float, end_s: float) -> None:
        """Ends the run with the first step that has completed enough; see samples.py."""
        if len(self._rows) == 1:
            self._window_start_s = start_s + self._options.warmup_s
        elapsed_s = end_s - self._window_start_s
        has_ended_a_step = whole_steps(elapsed_s) > self._steps
        is_enough = 0 < self._options.measured_requests <= self._measured
        self._steps = whole_steps(elapsed_s)
        self._measured += elapsed_s > 0
        if has_ended_a_step and is_enough and elapsed_s >= self._options.min_s:
            self.close()
            gevent.spawn(self._environment.runner.quit)  # a user cannot end itself from its request
