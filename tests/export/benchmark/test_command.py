"""Flags that cannot work end in one line on stderr and exit code 2."""

import pytest

from export.__main__ import main


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--rounds", "1"], "rounds must be at least 2, got 1"),
        (["--repeats", "0"], "repeats must be at least 1, got 0"),
        (["--fresh_loads", "-1"], "fresh_loads must be at least 0, got -1"),
        (["--forms", "fp32", "fp32"], "none twice, got ['fp32', 'fp32']"),
        ([], "does not exist: run `make train` first"),
    ],
)
def test_what_cannot_be_measured_is_refused(flags, message, tmp_path, capsys):
    assert main(["bench", "--run_dir", str(tmp_path / "none"), *flags]) == 2
    error = capsys.readouterr().err
    assert error.startswith("bench: ")
    assert message in error


@pytest.mark.parametrize("flag", [["--forms", "fp64"], ["--cores", "3"], ["--speed", "9"]])
def test_a_wrong_flag_is_named(flag, tmp_path, capsys):
    with pytest.raises(SystemExit) as ending:
        main(["bench", "--run_dir", str(tmp_path), *flag])
    assert ending.value.code == 2
    assert flag[0] in capsys.readouterr().err


def test_a_run_without_photos_is_refused(run_dir, tmp_path, capsys):
    flags = ["--run_dir", str(run_dir), "--photos_dir", str(tmp_path)]
    assert main(["bench", *flags, "--results_dir", str(tmp_path / "results")]) == 2
    assert "no photos of part 'train'" in capsys.readouterr().err
    assert not (tmp_path / "results").exists()
