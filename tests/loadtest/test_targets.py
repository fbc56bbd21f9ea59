import pytest

from loadtest.answers import Address
from loadtest.config import CompareConfig
from loadtest.errors import LoadTestError
from loadtest.targets import all_targets, candidate_of, choose_targets

ADDRESS = Address(rest_port=8501, grpc_port=8500)


@pytest.fixture
def artefacts(tmp_path):
    """A trained run and an exported fp32 model, as far as choosing looks at them."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "model.keras").touch()
    (tmp_path / "models" / "resnet18" / "1").mkdir(parents=True)
    return tmp_path


def config_of(folder, **settings):
    return CompareConfig(run_dir=folder / "run", models_dir=folder / "models", **settings)


def names_of(config):
    return [target.name for target in choose_targets(config, all_targets())]


def test_bf16_runs_only_where_it_was_published(artefacts):
    assert names_of(config_of(artefacts)) == ["eager-rest", "fp32-rest", "fp32-grpc"]
    (artefacts / "models" / "resnet18-bf16" / "3").mkdir(parents=True)
    assert names_of(config_of(artefacts)) == [
        "eager-rest",
        "fp32-rest",
        "bf16-rest",
        "fp32-grpc",
        "bf16-grpc",
    ]


def test_graph_rest_runs_on_request(artefacts):
    config = config_of(artefacts, targets=("graph-rest", "eager-rest"))
    assert names_of(config) == ["eager-rest", "graph-rest"]


def test_an_unknown_target_is_named_with_those_there_are(artefacts):
    with pytest.raises(LoadTestError, match="no target 'fast-rest'; there are eager-rest"):
        names_of(config_of(artefacts, targets=("fast-rest",)))


def test_no_model_yet_says_what_to_run(artefacts):
    (artefacts / "models" / "resnet18" / "1").rmdir()
    with pytest.raises(LoadTestError, match=r"no model version in .* run `make export`"):
        names_of(config_of(artefacts))


def test_no_run_yet_says_what_to_run(tmp_path):
    with pytest.raises(LoadTestError, match=r"no model.keras in .* run `make train`"):
        names_of(config_of(tmp_path))


def test_the_headline_is_bf16_only_where_the_processor_computes_in_it():
    targets = list(all_targets().values())
    assert candidate_of(targets, ["avx512_bf16"]) == "bf16-rest"
    assert candidate_of(targets, ["avx2"]) == "fp32-rest"
    assert candidate_of(targets[:2], []) == "graph-rest"
    assert candidate_of(targets[:1], []) is None


def test_the_server_is_started_with_batching_and_one_thread(artefacts):
    command = all_targets()["bf16-rest"].command(config_of(artefacts), ADDRESS, artefacts)
    assert "--model_name=resnet18-bf16" in command
    assert f"--model_base_path={artefacts}/models/resnet18-bf16" in command
    assert {"--port=8500", "--rest_api_port=8501", "--enable_batching"} <= set(command)
    assert {
        "--tensorflow_intra_op_parallelism=1",
        "--tensorflow_inter_op_parallelism=1",
    } <= set(command)
    parameters = (artefacts / "batching_parameters.txt").read_text()
    assert "max_batch_size { value: 8 }" in parameters


@pytest.mark.parametrize("execution", ["eager", "graph"])
def test_the_baseline_is_started_with_one_thread_for_tensorflow(artefacts, execution):
    config = config_of(artefacts, baseline_threads=3)
    command = all_targets()[f"{execution}-rest"].command(config, ADDRESS, artefacts)
    assert {f"--execution={execution}", "--threads=3", "--intra_op_threads=1"} <= set(command)
    assert f"--run_dir={artefacts}/run" in command
