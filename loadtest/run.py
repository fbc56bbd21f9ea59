"""One run: a target started, asked, loaded, measured and stopped."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from loadtest.answers import Address, Answer, ask_grpc, ask_rest
from loadtest.config import CompareConfig
from loadtest.cores import Cores
from loadtest.errors import LoadTestError
from loadtest.estimates import RunFigures
from loadtest.generator import Load, drive
from loadtest.resources import (
    Resource,
    Sampler,
    connections_held,
    peak_memory_mb,
    share_of_core,
    steady_memory_mb,
)
from loadtest.samples import Samples, Window, measured_window
from loadtest.scenario import Scenario
from loadtest.server_process import await_first_answer, choose_address, fetch_metrics, running
from loadtest.targets import Target

_COMPARED_PHOTOS = 8


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What all runs of a comparison share.

    Attributes:
        config: The settings.
        scenario: The load.
        cores: Who runs where.
        folder: The result's folder, not yet complete.
        photos: The bytes that are sent; the same files lie under folder/photos.
    """

    config: CompareConfig
    scenario: Scenario
    cores: Cores
    folder: Path
    photos: Sequence[bytes]


@dataclass(frozen=True, kw_only=True)
class Run:
    """What one run gave; times are seconds of time.perf_counter.

    Attributes:
        target: What ran.
        repeat: Which of its restarts, from 1.
        command: The arguments that started it.
        origin_s: When it was started.
        cold_start_s: From its start to its first answer, in seconds.
        answers: Its answers to the first photos.
        samples: Every request.
        window: The measured ones.
        resources: Looks at server and generator.
        metrics: The server's own metrics page, if it has one.
    """

    target: Target
    repeat: int
    command: list[str]
    origin_s: float
    cold_start_s: float
    answers: list[Answer]
    samples: Samples
    window: Window
    resources: list[Resource]
    metrics: str | None

    @property
    def figures(self) -> RunFigures:
        """What the run contributes to its target's figures."""
        return RunFigures(
            latency_ms=self.window.samples.latency_ms[self.window.samples.ok],
            window_s=self.window.seconds,
            memory_mb=steady_memory_mb(self.resources, self.window.start_s, self.window.end_s),
        )

    @property
    def peak_memory_mb(self) -> float:
        """Largest memory of the server at any time, in megabytes."""
        return peak_memory_mb(self.resources)

    @property
    def errors(self) -> int:
        """Failed requests, those of the warm-up included."""
        return int((~self.samples.ok).sum())

    @property
    def generator_share(self) -> float:
        """Share of its core that the generator used in the measured window."""
        return share_of_core(self.resources, self.window.start_s, self.window.end_s)

    @property
    def connections(self) -> int:
        """Connections that the generator held in the measured window."""
        return connections_held(self.resources, self.window.start_s, self.window.end_s)


def measure(target: Target, repeat: int, bench: Bench) -> Run:
    """Makes one run from the server's start to its end.

    Raises:
        LoadTestError: The server or the generator failed; the message names the target.
    """
    try:
        return _measure(target, repeat, bench)
    except LoadTestError as error:
        raise LoadTestError(f"{target.name}, repeat {repeat}: {error}") from error


def _measure(target: Target, repeat: int, bench: Bench) -> Run:
    address = choose_address(bench.config)
    command = target.command(bench.config, address, bench.folder)
    log = bench.folder / "logs" / f"{target.name}-{repeat}.log"
    port = address.grpc_port if target.protocol == "grpc" else address.rest_port
    origin_s = time.perf_counter()
    with running(command, bench.cores.server, log) as process, Sampler(port) as sampler:
        sampler.watch("server", process.pid)
        first = await_first_answer(
            process,
            address,
            lambda: _ask(target, bench.photos[0], address),
            bench.config.ready_deadline_s,
            log,
        )
        cold_start_s = time.perf_counter() - origin_s
        others = [_ask(target, photo, address) for photo in bench.photos[1:_COMPARED_PHOTOS]]
        load = _load_of(target, repeat, bench)
        samples = drive(target, address, load, lambda pid: sampler.watch("generator", pid))
        metrics = fetch_metrics(address.rest_port)
    return Run(
        target=target,
        repeat=repeat,
        command=command,
        origin_s=origin_s,
        cold_start_s=cold_start_s,
        answers=[first, *others],
        samples=samples,
        window=measured_window(samples, bench.scenario.warmup_s),
        resources=sampler.samples,
        metrics=metrics,
    )


def _ask(target: Target, photo: bytes, address: Address) -> Answer:
    ask = ask_grpc if target.protocol == "grpc" else ask_rest
    return ask(photo, target.model_name, address)


def _load_of(target: Target, repeat: int, bench: Bench) -> Load:
    return Load(
        scenario=bench.scenario,
        photos=bench.folder / "photos",
        rows_file=bench.folder / f"rows-{target.name}-{repeat}.csv",
        log=bench.folder / "logs" / f"{target.name}-{repeat}-locust.log",
        cores=bench.cores.generator,
    )
