"""Which precision a processor trains fastest in."""

from pathlib import Path
from typing import Literal

from graphmode.machine import cpu_facts

_CPU_FLAGS = frozenset({"avx512_bf16", "amx_bf16"})
"""With one of these, oneDNN multiplies bfloat16 numbers in hardware."""


def fastest_precision(
    cpuinfo: Path = Path("/proc/cpuinfo"),
) -> Literal["float32", "bfloat16"]:
    """Give `bfloat16` where Linux says that the CPU multiplies it, and `float32` elsewhere."""
    flags = cpu_facts(cpuinfo).get("flags", "").split()
    return "bfloat16" if _CPU_FLAGS.intersection(flags) else "float32"
