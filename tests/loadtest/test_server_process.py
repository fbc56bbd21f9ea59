import os
import signal
import socket
import sys
import time

import psutil
import pytest

from loadtest.answers import ask_grpc, ask_rest
from loadtest.config import CompareConfig
from loadtest.errors import LoadTestError
from loadtest.server_process import (
    await_first_answer,
    choose_address,
    fetch_metrics,
    last_lines,
    running,
)


def _is_running(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.fixture
def started(fake_target, tmp_path):
    """Starts the fake server with flags and waits for its first answer."""

    def start(*flags, deadline_s=20.0):
        address = choose_address(CompareConfig())
        command = fake_target("fp32-rest", *flags).command(None, address, tmp_path)
        log = tmp_path / "logs" / "fake.log"

        def ask():
            return ask_rest(b"photo", "resnet18", address)

        with running(command, (), log) as process:
            return address, await_first_answer(process, address, ask, deadline_s, log), process

    return start


def test_a_port_in_use_is_named_with_its_setting():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(LoadTestError, match=f"rest_port: port {port} is in use"):
            choose_address(CompareConfig(rest_port=port))


def test_free_ports_differ():
    address = choose_address(CompareConfig())
    assert address.rest_port != address.grpc_port


def test_rest_and_grpc_give_the_same_answer(fake_target, tmp_path):
    address = choose_address(CompareConfig())
    command = fake_target().command(None, address, tmp_path)
    log = tmp_path / "fake.log"
    with running(command, (), log) as process:
        rest = await_first_answer(
            process, address, lambda: ask_rest(b"photo", "m", address), 20.0, log
        )
        grpc = ask_grpc(b"photo", "m", address)
        assert "requests 1" in fetch_metrics(address.rest_port)
    assert rest.label == grpc.label
    assert rest.probabilities == pytest.approx(grpc.probabilities, abs=1e-6)


def test_the_server_is_ended_when_the_block_ends(started):
    _, answer, process = started()
    assert answer.label in ("cat", "dog")
    assert process.returncode == -signal.SIGTERM


def test_a_server_that_dies_at_its_start_shows_its_last_words(started):
    with pytest.raises(LoadTestError, match=r"ended at its start .*dies as asked"):
        started("--dying")


def test_a_server_that_is_never_ready_ends_the_wait(started):
    with pytest.raises(LoadTestError, match="not ready in 1 s"):
        started("--never-ready", deadline_s=1.0)


def test_what_a_server_started_ends_with_it(tmp_path):
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    log = tmp_path / "parent.log"
    with running([sys.executable, "-c", code], (), log):
        while not log.read_text().strip():
            os.sched_yield()
    deadline_s = time.monotonic() + 20
    while _is_running(int(log.read_text())):
        assert time.monotonic() < deadline_s
        os.sched_yield()


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system pins no process")
def test_a_server_is_held_to_its_cores(tmp_path):
    core = max(os.sched_getaffinity(0))
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    with running(command, (core,), tmp_path / "log") as process:
        assert os.sched_getaffinity(process.pid) == {core}


def test_the_last_lines_of_a_log_are_one_line(tmp_path):
    log = tmp_path / "log"
    log.write_text("\n".join(f"line {number}" for number in range(20)))
    assert last_lines(log).startswith("line 12 | line 13")
    log.write_text("")
    assert last_lines(log) == "it printed nothing"
