"""`python -m export --run_dir RUN`: reads the flags, exports, says how it went."""

import json
import os
import sys
from dataclasses import asdict

import tyro

from export.config import ExportConfig
from export.errors import ExportError
from export.exporting import export_run
from export.progress import Narrator


def main(arguments: list[str]) -> int:
    """Exports; 0 when the forms are published or were before, 2 for an error to be mended."""
    # The eager references would be wrong with it: oneDNN then keeps the first weights it saw for
    # every later convolution of the same shape. A server's sessions own their weights.
    os.environ["TF_ONEDNN_ASSUME_FROZEN_WEIGHTS"] = "0"
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    # TensorFlow leaves oneDNN off on CPUs without AVX-512 VNNI, where it fuses convolutions, too.
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
    try:
        config = tyro.cli(
            ExportConfig, prog="python -m export", args=arguments, use_underscores=True
        )
        result = export_run(config, Narrator())
    except ExportError as error:
        print(f"export: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("export: interrupted; nothing half-written is left", file=sys.stderr)
        return 130
    print(json.dumps(asdict(result)))
    return 0
