"""The baseline's settings."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from serving.errors import StartError


@dataclass(frozen=True, kw_only=True)
class BaselineConfig:
    """Serve a run's Keras model with Flask, by TensorFlow Serving's REST predict bodies."""

    run_dir: Path
    """Training run to serve: its model.keras and labels.txt."""

    port: int = 8501
    """Port of the REST API; 0 takes a free one."""

    bind_address: str = "127.0.0.1"
    """Address to listen on; 0.0.0.0 for every one."""

    # Two, because that is the baseline's best: `python -m loadtest --targets eager-rest --repeats 1
    # --requests 200 --baseline_threads N` on a quiet two-core AMD EPYC, 8 users, photos of cats and
    # dogs as JPEG, two interleaved runs each, n = 404 to 418 a row, 2026-12-01:
    #   threads   req/s   P50 ms   P95 ms   PSS MB
    #         1    24.2      331      337      743
    #         2    24.6      325      338      791
    #         4    23.5      341      370      873
    #         8    21.7      367      449     1037
    threads: int = 2
    """Requests handled at the same time, each on a thread of the one worker process."""

    execution: Literal["eager", "graph"] = "eager"
    """eager calls the model op by op; graph calls it in a tf.function."""

    intra_op_threads: int = 1
    """Size of each of TensorFlow's two thread pools, within an op and between ops."""

    def __post_init__(self) -> None:
        """Checks each number against its bounds.

        Raises:
            StartError: Naming the field, its bounds and the value given.
        """
        bounds = {"port": (0, 65535), "threads": (1, 1024), "intra_op_threads": (1, 1024)}
        for field, (least, most) in bounds.items():
            value = getattr(self, field)
            if not least <= value <= most:
                raise StartError(f"{field} must be from {least} to {most}, got {value}")
