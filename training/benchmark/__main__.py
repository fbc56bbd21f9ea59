"""`python -m training.benchmark preprocess|train`: tables 6.1 and 6.2, measured.

The table goes to stdout; its last line is JSON.
"""

import json
import sys
import tempfile
from pathlib import Path

import tyro

from training.benchmark.config import BenchConfig
from training.benchmark.report import markdown, write_report
from training.benchmark.tables import TABLES
from training.decodable import sort_out
from training.errors import TrainingError
from training.generated import drawn_photos
from training.photo_folder import Photo, read_photo_folder


def main(arguments: list[str] | None = None) -> int:
    """Measure as the flags say.

    Returns:
        0 when the report is written, 2 where the user must mend something, 130 after Ctrl-C.
    """
    try:
        config = tyro.cli(
            BenchConfig, prog="python -m training.benchmark", args=arguments, use_underscores=True
        )
        with tempfile.TemporaryDirectory() as folder:
            photos = _find_photos(config, Path(folder))
            tables = TABLES[config.table](config, photos)
        where = config.results_dir / config.table
        facts = write_report(where, tables)
    except TrainingError as error:
        print(f"benchmark: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"benchmark: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("benchmark: stopped; nothing is written", file=sys.stderr)
        return 130
    print(markdown(facts))
    conditions = [one for table in facts["tables"] for one in table["conditions"]]
    print(json.dumps({"results_dir": str(where), "asked": conditions}))
    return 0


def _find_photos(config: BenchConfig, folder: Path) -> tuple[Photo, ...]:
    if config.data is None:
        print("No --data: measuring on drawn cats and dogs", file=sys.stderr)
        return drawn_photos(folder / "photos", seed=1).train
    usable, skipped = sort_out(read_photo_folder(config.data).train)
    if skipped:
        print(f"{len(skipped)} files are skipped, for they cannot be decoded", file=sys.stderr)
    if not usable:
        raise TrainingError(f"{config.data}: no photo that can be decoded")
    return usable


if __name__ == "__main__":
    sys.exit(main())
