"""The servers that are compared: what each is, what it needs, and the command to start it."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from loadtest.answers import Address
from loadtest.config import CompareConfig
from loadtest.errors import LoadTestError

BASELINE = "eager-rest"
_FP32 = "resnet18"
_BF16 = "resnet18-bf16"

# One batch in flight. Users who were answered together ask again together: 5 ms let them meet.
# No allowed_batch_sizes: padding a batch of five to eight costs a core three images.
_BATCHING = """\
max_batch_size { value: 8 }
batch_timeout_micros { value: 5000 }
num_batch_threads { value: 1 }
max_enqueued_batches { value: 100 }
"""


@dataclass(frozen=True, kw_only=True)
class Target:
    """A way of serving the model.

    Attributes:
        name: As in --targets and in every table.
        server: `flask` or `graphserve`.
        execution: `eager`, `graph` or `saved_model`.
        precision: `fp32` or `bf16`.
        protocol: `rest` or `grpc`; the payload is one JPEG in either.
        model_name: The model that requests name.
        command: Gives the arguments that start the server, from the settings, the ports and the
            folder of the result, where it may write what the server reads.
        needs: Gives the folder that the server reads the model from.
    """

    name: str
    server: str
    execution: str
    precision: str
    protocol: str
    model_name: str
    command: Callable[[CompareConfig, Address, Path], list[str]]
    needs: Callable[[CompareConfig], Path]
    payload: str = "jpeg"


def all_targets() -> dict[str, Target]:
    """Every target by name, in the order of the tables."""
    targets = [
        _flask("eager"),
        _flask("graph"),
        _graphserve("fp32-rest", _FP32),
        _graphserve("bf16-rest", _BF16),
        _graphserve("fp32-grpc", _FP32),
        _graphserve("bf16-grpc", _BF16),
    ]
    return {target.name: target for target in targets}


def choose_targets(config: CompareConfig, known: dict[str, Target]) -> list[Target]:
    """The targets to run: those asked for, or all but graph-rest whose model is there.

    Raises:
        LoadTestError: A name is unknown, or what a target serves is missing.
    """
    unknown = sorted(set(config.targets) - set(known))
    if unknown:
        raise LoadTestError(f"targets: no target {unknown[0]!r}; there are {', '.join(known)}")
    if config.targets:
        chosen = [target for name, target in known.items() if name in config.targets]
    else:
        chosen = [
            target
            for target in known.values()
            if target.execution != "graph"
            and (target.precision == "fp32" or target.needs(config).is_dir())
        ]
    for target in chosen:
        _require_served(target, target.needs(config))
    return chosen


def candidate_of(targets: Sequence[Target], cpu_flags: Sequence[str]) -> str | None:
    """The target of the headline: bf16 where the processor computes in it, or else fp32."""
    names = [target.name for target in targets]
    if "bf16-rest" in names and "avx512_bf16" in cpu_flags:
        return "bf16-rest"
    others = [name for name in names if name != BASELINE]
    return "fp32-rest" if "fp32-rest" in names else (others[0] if others else None)


def _require_served(target: Target, folder: Path) -> None:
    if target.server == "flask":
        if not (folder / "model.keras").is_file():
            raise LoadTestError(f"{target.name}: no model.keras in {folder}: run `make train`")
    elif not any(version.is_dir() for version in folder.glob("[0-9]*")):
        raise LoadTestError(f"{target.name}: no model version in {folder}: run `make export`")


def _flask(execution: str) -> Target:
    def command(config: CompareConfig, address: Address, _: Path) -> list[str]:
        return [
            sys.executable,
            "-m",
            "serving.flask_baseline",
            f"--run_dir={config.run_dir}",
            f"--port={address.rest_port}",
            f"--threads={config.baseline_threads}",
            f"--execution={execution}",
            "--intra_op_threads=1",
        ]

    return Target(
        name=f"{execution}-rest",
        server="flask",
        execution=execution,
        precision="fp32",
        protocol="rest",
        model_name=_FP32,
        command=command,
        needs=lambda config: config.run_dir,
    )


def _graphserve(name: str, model_name: str) -> Target:
    def command(config: CompareConfig, address: Address, folder: Path) -> list[str]:
        batching = folder / "batching_parameters.txt"
        batching.write_text(_BATCHING)
        return [
            sys.executable,
            "-m",
            "serving",
            f"--port={address.grpc_port}",
            f"--rest_api_port={address.rest_port}",
            f"--model_name={model_name}",
            f"--model_base_path={(config.models_dir / model_name).resolve()}",
            "--enable_batching",
            f"--batching_parameters_file={batching}",
            "--tensorflow_intra_op_parallelism=1",
            "--tensorflow_inter_op_parallelism=1",
        ]

    precision, protocol = name.split("-")
    return Target(
        name=name,
        server="graphserve",
        execution="saved_model",
        precision=precision,
        protocol=protocol,
        model_name=model_name,
        command=command,
        needs=lambda config: config.models_dir / model_name,
    )
