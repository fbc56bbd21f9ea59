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


def test_the_sources_do_have_graph_functions_to_check():
    from graphmode.lint.graph_functions import find_graph_functions  # noqa: PLC0415
    from graphmode.lint.source import parse  # noqa: PLC0415

    step = ROOT / "training" / "step.py"
    found = {graph.name for graph in find_graph_functions(parse(step, step.read_text()))}
    assert found
