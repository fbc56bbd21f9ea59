"""One benchmark, from a run to its report."""

import os
import tempfile
from pathlib import Path
from typing import Any

from export.benchmark.config import BenchConfig
from export.benchmark.measuring import measure
from export.benchmark.page import markdown
from export.benchmark.report import Results, write_report
from export.benchmark.warmup_proof import WarmupProof, prove_warmup
from export.benchmark.written import form_row, write_subjects
from export.errors import ExportError
from export.progress import Narrator

_CORES = {"all": ("all",), "1": ("1",), "both": ("all", "1")}
_MEMORY_FILE = Path("/proc/self/smaps_rollup")


def bench(config: BenchConfig, narrator: Narrator) -> tuple[str, dict[str, Any]]:
    """Measures and writes the report; gives its page and its facts.

    Raises:
        ExportError: the run cannot be measured, or this is not Linux.
    """
    if not _MEMORY_FILE.is_file():
        raise ExportError(f"the memory of a process is read from {_MEMORY_FILE}: Linux is needed")
    load_average = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        written = write_subjects(config, Path(folder), narrator)
        tables = {
            cores: measure(written, config, cores, narrator) for cores in _CORES[config.cores]
        }
        proofs: tuple[WarmupProof, ...] = ()
        if config.fresh_loads:
            (form,) = (one for one in written.subjects if one.name == form_row(config.forms[0]))
            proofs = prove_warmup(written, form, config.fresh_loads, narrator)
    facts = write_report(
        Results(config=config, tables=tables, proofs=proofs, load_average_before=load_average)
    )
    return markdown(facts), facts
