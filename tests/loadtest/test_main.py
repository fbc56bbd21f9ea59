import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

# The program with the fake server as its one target.
_WITH_FAKE = """
import sys
sys.path.insert(0, {folder!r})
from conftest import make_fake_target
from loadtest.__main__ import main
sys.exit(main({{"fp32-rest": make_fake_target("fp32-rest")}}))
"""


def loadtest(*flags, cwd=None):
    command = [sys.executable, "-m", "loadtest", *flags]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


def test_an_error_is_one_line_and_exit_code_2(tmp_path):
    done = loadtest(f"--run_dir={tmp_path}", f"--results_dir={tmp_path / 'results'}")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        f"loadtest: eager-rest: no model.keras in {tmp_path}: run `make train`"
    ]
    assert not (tmp_path / "results").exists()


def test_a_bad_setting_is_one_line_and_exit_code_2():
    done = loadtest("--users=0")
    assert done.returncode == 2
    assert done.stderr.strip() == "loadtest: users must be 1 or more, got 0"


def test_help_names_every_setting():
    text = loadtest("--help").stdout
    for word in ("--run_dir", "--models_dir", "--photos", "--users", "--repeats", "--quick"):
        assert word in text


@pytest.fixture
def with_fake(tmp_path):
    """Starts the program with the fake server as its one target."""
    (tmp_path / "run" / "1").mkdir(parents=True)

    def start(*flags):
        code = _WITH_FAKE.format(folder=str(Path(__file__).parent))
        folders = (f"--run_dir={tmp_path / 'run'}", f"--results_dir={tmp_path / 'results'}")
        command = [sys.executable, "-c", code, *folders, *flags]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    return start


def test_the_last_line_names_the_result(with_fake, tmp_path):
    with with_fake("--users=2", "--quick", "--requests=20", "--min_seconds=0.5") as program:
        output, progress = program.communicate(timeout=60)
    assert program.returncode == 0
    told = json.loads(output.splitlines()[-1])
    assert Path(told["result"]) == (tmp_path / "results" / "latest").resolve()
    assert Path(told["report"]).is_file()
    assert output.splitlines()[1].startswith("fp32-rest")
    assert "fp32-rest 1/1: starting" in progress


@pytest.mark.parametrize("interrupt", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_stops_the_servers_and_publishes_nothing(with_fake, tmp_path, interrupt):
    with with_fake("--max_seconds=60", "--min_seconds=60") as program:
        started = _children_when(program.pid, count=2)  # the server and Locust
        program.send_signal(interrupt)
        _, errors = program.communicate(timeout=60)
    assert program.returncode == 130
    assert errors.splitlines()[-1].startswith("loadtest: interrupted; the servers are stopped")
    assert not [child for child in started if _runs(child)]
    assert [path.name for path in (tmp_path / "results").iterdir()] == [".failed"]


def _runs(process):
    """A process that has ended, and whom nobody has asked about it yet, does not run."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _children_when(pid, count):
    deadline_s = time.monotonic() + 30
    while len(children := psutil.Process(pid).children(recursive=True)) < count:
        assert time.monotonic() < deadline_s
        time.sleep(0.02)
    return children
