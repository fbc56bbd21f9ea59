"""What warm-up requests are worth: the first request of a fresh process, with and without them."""

from contextlib import ExitStack
from dataclasses import dataclass

from export.benchmark.child import Child, start
from export.benchmark.written import PROVEN_SIGNATURES, Subject, Written
from export.progress import Narrator


@dataclass(frozen=True, kw_only=True)
class WarmupProof:
    """Seconds, one figure a fresh process."""

    model: str
    signature: str
    cold_s: tuple[float, ...]
    """First request of one image to a version that was just loaded."""
    warm_s: tuple[float, ...]
    """The same where the warm-up requests were replayed before."""
    replay_s: tuple[float, ...]
    """How long that took."""


def prove_warmup(
    written: Written, subject: Subject, fresh_loads: int, narrator: Narrator
) -> tuple[WarmupProof, ...]:
    """Measures each warmed-up signature of a form; `fresh_loads` >= 1 processes a figure.

    Raises:
        ExportError: a process died.
    """
    return tuple(
        _prove(written, subject, name, fresh_loads, narrator) for name in PROVEN_SIGNATURES
    )


def _prove(
    written: Written, subject: Subject, signature: str, fresh_loads: int, narrator: Narrator
) -> WarmupProof:
    cold: list[float] = []
    warm: list[float] = []
    replay: list[float] = []

    def measure_cold(child: Child) -> None:
        child.ask("load")
        cold.append(_first(child, written, signature))

    def measure_warm(child: Child) -> None:
        child.ask("load")
        replay.append(child.ask("replay")["seconds"])
        warm.append(_first(child, written, signature))

    for number in range(fresh_loads):
        narrator.say(f"first {signature} request: pair {number + 1} of {fresh_loads}")
        with ExitStack() as stack:
            one, other = start([subject, subject], "all", stack)
            # Cold, warm, warm, cold: neither is always the later one.
            first, second = (
                (measure_cold, measure_warm) if number % 2 == 0 else (measure_warm, measure_cold)
            )
            first(one)
            second(other)
    return WarmupProof(
        model=subject.name,
        signature=signature,
        cold_s=tuple(cold),
        warm_s=tuple(warm),
        replay_s=tuple(replay),
    )


def _first(child: Child, written: Written, signature: str) -> float:
    if signature == "image_bytes":
        return float(child.ask("photo", path=str(written.photo.absolute()))["seconds"])
    return float(child.ask("first", images=str(written.images))["seconds"]["1"])
