from pathlib import Path

from graphmode.lint.checking import check_paths, chosen_codes

ROOT = Path(__file__).parents[3]
STAGES = ("training", "export", "graphmode", "serving", "loadtest")
# Faults on purpose: the experiments that show them.
CLAIMS = ROOT / "graphmode" / "claims"


def test_the_project_s_own_sources_are_clean():
    paths = [ROOT / stage for stage in STAGES]
    report = check_paths(paths, chosen_codes("", ""), [CLAIMS])
    assert [f"{found.path}:{found.line} {found.code}" for found in report.findings] == []
    assert report.files > 80
    assert report.graphs > 10
