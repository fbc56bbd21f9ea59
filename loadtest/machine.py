"""What a comparison ran on: processor, memory, software versions and the state of the source."""

import importlib.metadata
import platform
import subprocess
from pathlib import Path

import psutil

_PACKAGES = ("tensorflow", "keras", "locust", "grpcio", "gunicorn", "flask", "numpy", "uvicorn")
_TELLING_FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8", "asimd")


def describe_machine() -> dict[str, object]:
    """The machine in words that another machine can be compared by; no name, no address."""
    flags = cpu_flags()
    return {
        "cpu": _cpu_model(),
        "cores": psutil.cpu_count(logical=True),
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "flags": [flag for flag in _TELLING_FLAGS if flag in flags],
        "system": f"{platform.system()} {platform.machine()}",
    }


def cpu_flags() -> frozenset[str]:
    """The processor's instruction set flags, where /proc/cpuinfo tells them."""
    words = _cpuinfo("flags") or _cpuinfo("Features")
    return frozenset(words.split())


def versions() -> dict[str, str]:
    """Versions of Python and of the packages whose speed is measured."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def git_commit() -> str:
    """The commit of the source, `-dirty` added where files were changed; `unknown` without git."""
    commit = _git("rev-parse", "HEAD")
    if not commit:
        return "unknown"
    changed = _git("status", "--porcelain", "--untracked-files=no")
    return f"{commit}-dirty" if changed else commit


def _cpu_model() -> str:
    return _cpuinfo("model name") or platform.processor() or platform.machine()


def _cpuinfo(field: str) -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() == field:
            return value.strip()
    return ""


def _git(*arguments: str) -> str:
    folder = Path(__file__).parent
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
