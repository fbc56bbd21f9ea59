"""Which precision a processor trains fastest in."""

from pathlib import Path
from typing import Literal

_CPU_FLAGS = frozenset({"avx512_bf16", "amx_bf16"})
"""With one of these, oneDNN multiplies bfloat16 numbers in hardware."""


def fastest_precision(
    cpuinfo: Path = Path("/proc/cpuinfo"),
) -> Literal["float32", "bfloat16"]:
    """Give `bfloat16` where Linux says that the CPU multiplies it, and `float32` elsewhere."""
    try:
        text = cpuinfo.read_text(encoding="ascii", errors="replace")
    except OSError:
        return "float32"
    return "bfloat16" if _CPU_FLAGS & set(text.split()) else "float32"
