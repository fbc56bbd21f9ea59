"""The load generator: Locust as a process of its own, on its own core, without its web page."""

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from loadtest.answers import Address
from loadtest.errors import LoadTestError
from loadtest.samples import Samples, read_rows
from loadtest.scenario import Scenario
from loadtest.server_process import last_lines, running
from loadtest.targets import Target

_LOCUSTFILE = Path(__file__).with_name("locustfile.py")
_USER_CLASSES = {"rest": "RestJpegUser", "grpc": "GrpcJpegUser"}
_STOP_S = 20
_SLACK_S = 20.0 + _STOP_S  # for Locust to start and to end


@dataclass(frozen=True, kw_only=True)
class Load:
    """What one run sends.

    Attributes:
        scenario: How many users, for how long.
        photos: Folder of the JPEG files.
        rows_file: File that receives a row a request.
        log: File that receives what Locust prints.
        cores: Cores of the generator.
    """

    scenario: Scenario
    photos: Path
    rows_file: Path
    log: Path
    cores: tuple[int, ...]


def drive(target: Target, address: Address, load: Load, watch: Callable[[int], None]) -> Samples:
    """Loads a server until enough requests are measured or the time is up.

    Args:
        target: What is loaded.
        address: Where it listens.
        load: What is sent.
        watch: Told the process id of the generator.

    Returns:
        All requests, those of the warm-up included.

    Raises:
        LoadTestError: Locust failed, hung, or sent nothing.
    """
    scenario = load.scenario
    deadline_s = scenario.warmup_s + scenario.max_s + _SLACK_S
    with running(locust_command(target, address, load), load.cores, load.log) as process:
        watch(process.pid)
        _await_end(process, deadline_s, load.log)
    samples = read_rows(load.rows_file)
    if not len(samples):
        raise LoadTestError(f"{target.name}: no request ended: {last_lines(load.log)}")
    return samples


def locust_command(target: Target, address: Address, load: Load) -> list[str]:
    """The arguments that start Locust for one run."""
    scenario = load.scenario
    run_time_s = round(scenario.warmup_s + scenario.max_s)
    return [
        sys.executable,
        "-m",
        "locust",
        f"--locustfile={_LOCUSTFILE}",
        _USER_CLASSES[target.protocol],
        "--headless",
        "--only-summary",
        "--exit-code-on-error=0",  # failed requests are rows, and make the run INVALID
        f"--stop-timeout={_STOP_S}",  # requests in flight are answered, not cut off
        f"--users={scenario.users}",
        f"--spawn-rate={scenario.users}",
        f"--run-time={max(run_time_s, 1)}s",
        f"--host=http://127.0.0.1:{address.rest_port}",
        f"--grpc-address=127.0.0.1:{address.grpc_port}",
        f"--photos={load.photos}",
        f"--model-name={target.model_name}",
        f"--seed={scenario.seed}",
        f"--rows-file={load.rows_file}",
        f"--warmup-s={scenario.warmup_s}",
        f"--min-s={scenario.min_s}",
        f"--measured-requests={scenario.requests_per_run}",
    ]


def _await_end(process: subprocess.Popen[bytes], deadline_s: float, log: Path) -> None:
    start_s = time.perf_counter()
    try:
        code = process.wait(deadline_s)
    except subprocess.TimeoutExpired as error:
        waited_s = time.perf_counter() - start_s
        raise LoadTestError(f"Locust did not end in {waited_s:.0f} s: {last_lines(log)}") from error
    if code:
        raise LoadTestError(f"Locust failed (exit {code}): {last_lines(log)}")
