"""`python -m training`: photos in, runs/NAME out. The last line on stdout is JSON."""

import argparse
import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import tyro

from training.config import PRESETS, TrainConfig
from training.errors import TrainingError
from training.generated import drawn_photos
from training.photo_folder import PhotoFolder, read_photo_folder
from training.place import Place, place_of
from training.precision import fastest_precision
from training.run_folder import Row, RunFolder
from training.tfds_photos import PREFIX, tfds_photos


def main(arguments: list[str] | None = None) -> int:
    """Train as the flags say.

    Returns:
        0 when the run folder is finished, 2 where the user must mend something, 130 when stopped
        by Ctrl-C.
    """
    run_dir = "the run folder"
    try:
        config = _read_flags(sys.argv[1:] if arguments is None else arguments)
        run_dir = str(config.run_dir)
        result = _train(config)
    except TrainingError as error:
        print(f"training: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            f"training: stopped; the same command goes on from there in {run_dir}",
            file=sys.stderr,
        )
        return 130
    print(json.dumps({"run_dir": run_dir, **result}))
    return 0


def _read_flags(arguments: list[str]) -> TrainConfig:
    """Read the flags, those not given being as the preset says."""
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--preset")
    preset = first.parse_known_args(arguments)[0].preset
    # A wrong name is tyro's to refuse.
    config = tyro.cli(
        TrainConfig,
        prog="python -m training",
        args=arguments,
        default=PRESETS.get(preset, PRESETS["full"]),
        use_underscores=True,
    )
    return replace(config, precision=fastest_precision()) if config.precision == "auto" else config


def _train(config: TrainConfig) -> Row:
    place = place_of(config.strategy)
    if place.is_chief:
        return _train_in(RunFolder(config.run_dir), config, place)
    if config.data is None or config.data.startswith(PREFIX):
        raise TrainingError("--strategy multi_worker needs --data to name a folder of photos")
    # What a worker beside the chief writes is of no use to anybody.
    with tempfile.TemporaryDirectory() as folder:
        return _train_in(RunFolder(Path(folder) / "run"), config, place)


def _train_in(run: RunFolder, config: TrainConfig, place: Place) -> Row:
    run.refuse_other_settings(config)
    if run.is_finished:
        print(f"{run.path}: already trained with these settings", file=sys.stderr)
        return run.read_result()
    found = _find_photos(config, run)
    # TensorFlow takes seconds to import, which a finished run or a wrong flag need not wait for.
    from training.loop import train  # noqa: PLC0415

    return train(config, found, run, place)


def _find_photos(config: TrainConfig, run: RunFolder) -> PhotoFolder:
    if config.data is not None and config.data.startswith(PREFIX):
        run.begin(config)
        return tfds_photos(config.data, run.photos_dir, config.validation_fraction, config.seed)
    if config.data is not None:
        found = read_photo_folder(Path(config.data))
        run.begin(config)
        return found
    print(
        "No --data: training on drawn cats and dogs. This is for trying things out; "
        "the network will know nothing of photos.",
        file=sys.stderr,
    )
    run.begin(config)
    return drawn_photos(run.photos_dir, config.seed)


if __name__ == "__main__":
    sys.exit(main())
