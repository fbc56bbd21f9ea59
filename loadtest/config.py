"""The settings of one comparison, checked before anything is started."""

from dataclasses import dataclass
from pathlib import Path

from loadtest.errors import LoadTestError


@dataclass(frozen=True, kw_only=True)
class CompareConfig:
    """Measure the servers side by side and write a report to a folder under results_dir."""

    run_dir: Path = Path("runs/resnet18")
    """Training run whose model.keras the Flask baseline serves."""

    models_dir: Path = Path("models")
    """Folder of exported models: resnet18/VERSION and, where published, resnet18-bf16/VERSION."""

    results_dir: Path = Path("results")
    """Folder that receives one folder a comparison, and `latest`, a link to the newest."""

    photos: str = ""
    """Folder tree of JPEG photos to send; empty: pictures are drawn for the purpose."""

    targets: tuple[str, ...] = ()
    """Targets by name, e.g. `eager-rest fp32-rest`; empty: all that this machine has models for."""

    users: int = 8
    """Users in a closed loop without think time: so many requests are always in flight."""

    repeats: int = 3
    """Restarts of every target; the intervals of the ratios come of their spread."""

    requests: int = 1000
    """Measured requests a target, all its repeats together. A P95 needs 1,000."""

    warmup_s: float = 2.0
    """Seconds of the same load before each measured window."""

    min_seconds: float = 8.0
    """Shortest measured window of one repeat, in seconds."""

    max_seconds: float = 40.0
    """Longest measured window of one repeat, in seconds; it ends the repeat short of requests."""

    baseline_threads: int = 2
    """Threads of the Flask baseline (gunicorn, one process)."""

    rest_port: int = 0
    """Port of the REST API of the server under test; 0: any free one."""

    grpc_port: int = 0
    """Port of the gRPC API of the server under test; 0: any free one."""

    ready_deadline_s: float = 120.0
    """Longest wait for a server's first answer, in seconds."""

    seed: int = 0
    """Seed of the drawn pictures, of each user's order of photos and of the bootstrap."""

    quick: bool = False
    """One short repeat a target, to see that it works. Too few requests: marked INVALID."""

    def __post_init__(self) -> None:
        """Checks each number against its bound.

        Raises:
            LoadTestError: Naming the field, its bound and the value given.
        """
        for field in ("users", "repeats", "requests", "baseline_threads"):
            self._require_at_least(field, 1)
        for field in ("warmup_s", "min_seconds", "max_seconds", "ready_deadline_s"):
            self._require_at_least(field, 0.1)
        if self.max_seconds < self.min_seconds:
            raise LoadTestError(
                f"max_seconds must be min_seconds ({self.min_seconds}) or more,"
                f" got {self.max_seconds}"
            )

    def _require_at_least(self, field: str, bound: float) -> None:
        value = getattr(self, field)
        if value < bound:
            raise LoadTestError(f"{field} must be {bound} or more, got {value}")
