"""`python -m export bench --run_dir RUN`: reads the flags, measures, prints the tables."""

import json
import os
import sys

import tyro

from export.benchmark.config import BenchConfig
from export.errors import ExportError
from export.progress import Narrator


def main(arguments: list[str]) -> int:
    """Measures; 0 when the report is written, 2 for an error to be mended, 130 after Ctrl-C."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    # TensorFlow leaves oneDNN off on CPUs without AVX-512 VNNI, where the int8 form needs it.
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
    # The calibration of int8 would be wrong with it: see export.command.
    os.environ["TF_ONEDNN_ASSUME_FROZEN_WEIGHTS"] = "0"
    try:
        config = tyro.cli(
            BenchConfig, prog="python -m export bench", args=arguments, use_underscores=True
        )
        from export.benchmark.benching import bench  # noqa: PLC0415 a wrong flag need not wait

        text, facts = bench(config, Narrator())
    except ExportError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("bench: stopped; nothing is written", file=sys.stderr)
        return 130
    print(text)
    print(json.dumps({"results_dir": str(config.results_dir), "asked": facts["conditions"]}))
    return 0
