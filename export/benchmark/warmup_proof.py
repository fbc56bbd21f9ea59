"""What warm-up requests are worth: the first request of a fresh process, with and without them."""

from dataclasses import dataclass

from export.benchmark.child import Child
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
        _prove(written, subject, signature, fresh_loads, narrator)
        for signature in PROVEN_SIGNATURES
    )


def _prove(
    written: Written, subject: Subject, signature: str, fresh_loads: int, narrator: Narrator
) -> WarmupProof:
    cold, warm, replay = [], [], []
    for number in range(fresh_loads):
        narrator.say(f"first {signature} request: pair {number + 1} of {fresh_loads}")
        # Cold, warm, warm, cold: neither is always the later one.
        for is_warm in (False, True) if number % 2 == 0 else (True, False):
            with Child(subject, "all") as child:
                child.ask("load")
                if is_warm:
                    replay.append(child.ask("replay")["seconds"])
                (warm if is_warm else cold).append(_first(child, written, signature))
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
