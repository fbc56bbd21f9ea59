"""bfloat16 is chosen where the CPU multiplies it, and only there."""

import pytest

from training.precision import fastest_precision


@pytest.mark.parametrize(
    ("flags", "precision"),
    [
        ("avx2 avx512f avx512_bf16", "bfloat16"),
        ("avx2 amx_bf16", "bfloat16"),
        ("avx2 avx512f avx512_bf16x", "float32"),
    ],
)
def test_the_cpus_flags_decide(flags, precision, tmp_path):
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"processor\t: 0\nflags\t\t: fpu {flags} sse\n")
    assert fastest_precision(cpuinfo) == precision


def test_where_linux_does_not_tell_it_is_float32(tmp_path):
    assert fastest_precision(tmp_path / "none") == "float32"
