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

    # Chosen by a sweep: eager ResNet-18, 8 connections in a closed loop, server on one core of a
    # two-core AMD EPYC that did other work too (so CPU time is the steadiest column); medians of 7
    # interleaved runs, n = 589 to 916 requests a row, 2026-12-01:
    #   threads   req/s   P50 ms   P95 ms   CPU ms a request   RSS MB
    #         1     7.8      890     1202                 55      738
    #         2     7.5      803     1482                 59      784
    #         4    10.5      508      817                 53      865
    #         8    11.4      610      868                 51     1027
    # 8 adds no more than noise to 4, and costs 160 MB.
    threads: int = 4
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
