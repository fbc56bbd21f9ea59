"""What the session trial saw, read from outside its process."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from export.fuzz.model_process import run_model_process

WARMUP_STEP = "warm-up record"
INPUT_ERRORS = (
    "InvalidArgumentError",
    "OutOfRangeError",
    "ResourceExhaustedError",
    "DeadlineExceededError",
)
"""Names of exceptions that speak of the request, so that another one may be answered."""

_DEADLINE_S = 600


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came of one request."""

    error: str
    """Name of TensorFlow's exception; empty where there is an answer."""

    message: str
    rows: int | None
    """Largest first dimension of the inputs."""

    outputs: Mapping[str, Any]
    """`shape` and `binary` (whether a text is not UTF-8), by alias."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Answers, as far as the process lived."""

    unloadable: str
    """Why it did not load; empty where it did."""

    answers: Mapping[str, Answer] = field(default_factory=dict)
    """By signature."""

    warmup: tuple[tuple[int, Answer], ...] = ()
    """With the index of the record, which may hold several requests."""

    ended_at: str = ""
    """During which step the process ended, and how; empty when it ended by itself."""

    @property
    def ended_at_warmup(self) -> bool:
        """Whether that was a warm-up request."""
        return self.ended_at.startswith(WARMUP_STEP)


def run_trial(folder: Path, left_out: Iterable[str]) -> Trial:
    """Runs `export.preflight.session_trial` on the version in `folder`."""
    process = run_model_process(
        "export.preflight.session_trial", [str(folder), *left_out], _DEADLINE_S
    )
    lines = process.lines
    begun = [line["begins"] for line in lines if "begins" in line] or ["loading the SavedModel"]
    return Trial(
        unloadable=next((line["unloadable"] for line in lines if "unloadable" in line), ""),
        answers={line["signature"]: _answer(line) for line in lines if "signature" in line},
        warmup=tuple((line["warmup"], _answer(line)) for line in lines if "warmup" in line),
        ended_at=f"{begun[-1]} ({process.ending})" if process.ending else "",
    )


def _answer(line: Mapping[str, Any]) -> Answer:
    return Answer(
        error=line.get("error", ""),
        message=line.get("message", ""),
        rows=line.get("rows"),
        outputs=line.get("outputs", {}),
    )
