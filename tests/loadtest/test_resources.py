import csv
import os
import socket
import sys
import time

import psutil
import pytest

from loadtest.resources import (
    Resource,
    Sampler,
    connections_held,
    has_pss,
    look,
    peak_memory_mb,
    share_of_core,
    steady_memory_mb,
    write_resources,
)


def sample(time_s, role="server", pss_mb=100.0, cpu_s=0.0, connections=0):
    return Resource(
        role=role,
        time_s=time_s,
        pss_mb=pss_mb,
        rss_mb=pss_mb,
        uss_mb=pss_mb,
        cpu_s=cpu_s,
        connections=connections,
    )


def test_steady_memory_is_the_median_within_the_window_and_peak_is_over_all():
    sizes = {0: 900.0, 1: 100.0, 2: 110.0, 3: 120.0, 9: 300.0}
    samples = [sample(time_s, pss_mb=size) for time_s, size in sizes.items()]
    assert steady_memory_mb(samples, 1, 3) == 110.0
    assert peak_memory_mb(samples) == 900.0


def test_the_generators_share_is_its_processor_time_over_the_window():
    samples = [sample(t, "generator", cpu_s=t * 0.4) for t in range(10)]
    assert share_of_core(samples, 2.5, 7.5) == pytest.approx(0.4)
    assert share_of_core([], 0, 1) == 0.0


def test_connections_are_the_generators_only():
    samples = [sample(1, "generator", connections=8), sample(1, "server", connections=99)]
    assert connections_held(samples, 0, 2) == 8


def test_a_process_has_memory_no_smaller_than_what_is_its_own():
    seen = look("server", psutil.Process(), 0)
    assert 0 < seen.uss_mb <= seen.pss_mb <= seen.rss_mb
    assert has_pss() == (sys.platform == "linux")


def test_connections_to_the_port_are_counted():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            assert look("generator", psutil.Process(), port).connections == 1
        assert look("generator", psutil.Process(), port).connections == 0


def test_the_sampler_looks_until_its_block_ends(tmp_path):
    deadline_s = time.monotonic() + 20
    with Sampler(0) as sampler:
        sampler.watch("server", os.getpid())
        while len(sampler.samples) < 2 and time.monotonic() < deadline_s:
            os.sched_yield()
    assert [seen.role for seen in sampler.samples[:2]] == ["server", "server"]
    path = tmp_path / "resources.csv"
    write_resources(path, [("fp32-rest", 1, sampler.samples[0].time_s, sampler.samples)])
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(sampler.samples)
    assert float(rows[0]["time_s"]) == 0.0
