"""What this machine's CPU computes in hardware, which decides the form that is fastest on it."""

import os
from collections.abc import Iterator
from pathlib import Path

from graphmode.machine import cpu_facts

_VNNI = frozenset({"avx512_vnni", "avx_vnni", "amx_int8"})
"""8-bit products, added up in 32 bits."""

_BF16 = frozenset({"avx512_bf16", "amx_bf16"})


class Processor:
    """The CPU as Linux describes it; elsewhere nothing is known, and fp32 is right."""

    def __init__(self, cpuinfo: Path = Path("/proc/cpuinfo")) -> None:
        """Reads the flags."""
        self._flags = set(cpu_facts(cpuinfo).get("flags", "").split())

    @property
    def has_vnni(self) -> bool:
        """Whether 8-bit weights may use their whole range."""
        return bool(self._flags & _VNNI)

    @property
    def has_bf16(self) -> bool:
        """Whether bfloat16 is multiplied in hardware: elsewhere it is slower than fp32."""
        return bool(self._flags & _BF16)

    @property
    def has_onednn(self) -> bool:
        """Whether TensorFlow uses oneDNN, which the int8 form's operations are part of."""
        return bool(self._flags) and os.environ.get("TF_ENABLE_ONEDNN_OPTS", "1") != "0"

    def fastest_precisions(self) -> Iterator[tuple[str, str]]:
        """Precisions that are worth trying here, fastest first, each with the reason."""
        if self.has_vnni and self.has_onednn:
            yield "int8", "this CPU multiplies 8-bit numbers (VNNI) and TensorFlow uses oneDNN"
        if self.has_bf16 and self.has_onednn:
            yield "bf16", "this CPU multiplies bfloat16 numbers"
        yield "fp32", "every CPU computes it"
