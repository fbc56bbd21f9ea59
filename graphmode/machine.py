"""What figures were measured on: versions, processor, date and commit."""

import datetime as dt
import importlib.metadata
import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path

_TELLING_FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_int8", "amx_bf16")
"""The CPU's features that decide how TensorFlow computes."""


@dataclass(frozen=True, kw_only=True)
class Machine:
    """The versions and the computer behind a run's figures."""

    tensorflow: str
    keras: str
    python: str
    processor: str
    """The model's name, as the system gives it."""
    flags: tuple[str, ...]
    cores: int
    """Those that this process may use."""
    gpus: int
    date: str
    """UTC, ISO 8601."""
    commit: str
    """Of the checkout that the package lies in, marked where files differ from it; "unknown"
    outside of one."""


def this_machine() -> Machine:
    """Describe the machine that this process runs on; no name of it is taken."""
    # So that what reads the processor's flags alone need not wait for TensorFlow.
    import tensorflow as tf  # noqa: PLC0415

    cpu = cpu_facts()
    flags = cpu.get("flags", "").split()
    return Machine(
        tensorflow=tf.__version__,
        keras=importlib.metadata.version("keras"),
        python=platform.python_version(),
        processor=cpu.get("model name") or platform.machine(),
        flags=tuple(flag for flag in _TELLING_FLAGS if flag in flags),
        cores=_usable_cores(),
        gpus=len(tf.config.list_physical_devices("GPU")),
        date=dt.datetime.now(dt.UTC).date().isoformat(),
        commit=_commit(),
    )


def cpu_facts(cpuinfo: Path = Path("/proc/cpuinfo")) -> dict[str, str]:
    """The last processor's lines of Linux' cpuinfo, as "flags"; nothing elsewhere."""
    try:
        text = cpuinfo.read_text("utf-8", errors="replace")
    except OSError:
        return {}
    pairs = (line.partition(":") for line in text.splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs}


def _usable_cores() -> int:
    # Only Linux can tell how many of the cores are ours.
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def _commit() -> str:
    try:
        said = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return said.stdout.strip()
