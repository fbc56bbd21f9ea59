"""list, promote, rollback and prune, and the models.config that they keep."""

import json

import pytest
from google.protobuf import text_format
from tensorflow_serving.config import model_server_config_pb2

from export.__main__ import main
from export.config import ExportConfig
from export.forms import form_of
from export.publishing.models_folder import publish


@pytest.fixture
def command(tmp_path, capsys):
    """Runs `python -m export NAME` on the models folder: status, stdout, stderr."""

    def run(name, *flags):
        status = main([name, "--models_dir", str(tmp_path), *flags])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


@pytest.fixture
def published(tmp_path):
    """Publishes versions of a model."""

    def publish_versions(count, model="m"):
        config = ExportConfig(run_dir=tmp_path, models_dir=tmp_path, model_name=model)
        for number in range(count):
            version = tmp_path / f".written-{number}"
            version.mkdir()
            (version / "saved_model.pb").write_bytes(b"graph")
            gates = [
                {"name": "accuracy", "passed": True, "figure": 0.875},
                {"name": "session", "passed": False, "figure": None},
            ]
            record = {"precision": "fp32", "weights": "variables", "gates": gates, "date": "d"}
            (version / "export.json").write_text(json.dumps(record))
            publish(version, form_of(config, "fp32"))

    return publish_versions


@pytest.fixture
def served(tmp_path):
    """Versions and labels by model, as TensorFlow Serving reads them."""

    def read():
        text = (tmp_path / "models.config").read_text()
        config = text_format.Parse(text, model_server_config_pb2.ModelServerConfig())
        return {
            model.name: (
                list(model.model_version_policy.specific.versions),
                dict(model.version_labels),
            )
            for model in config.model_config_list.config
        }

    return read


def test_the_first_version_is_stable_and_the_newest_the_canary(published, served, tmp_path):
    published(1)
    assert served() == {"m": ([1], {"stable": 1, "canary": 1})}
    published(2)
    assert served() == {"m": ([1, 3], {"stable": 1, "canary": 3})}
    entry = (tmp_path / "models.config").read_text()
    assert f'base_path: "{tmp_path / "m"}"' in entry
    assert 'model_platform: "tensorflow"' in entry


def test_promote_makes_the_canary_stable_and_rollback_goes_back(command, published, served):
    published(3)
    assert command("promote") == (0, "m: stable was version 1, is version 3\n", "")
    assert served() == {"m": ([3], {"stable": 3, "canary": 3})}
    assert command("rollback") == (0, "m: stable was version 3, is version 2\n", "")
    assert served() == {"m": ([2, 3], {"stable": 2, "canary": 3})}
    assert command("rollback", "--to", "1")[1] == "m: stable was version 2, is version 1\n"


@pytest.mark.parametrize(
    ("name", "flags", "message"),
    [
        ("rollback", (), "m has no version before 1, the stable one; it has 1, 2"),
        ("rollback", ("--to", "2"), "version 2 is not before 1"),
        ("rollback", ("--to", "0"), "m has no version 0; it has 1, 2"),
        ("promote", ("--to", "9"), "m has no version 9; it has 1, 2"),
        ("promote", ("--model", "other"), "no model 'other' in"),
        ("prune", ("--keep", "0"), "keep must be at least 1"),
    ],
)
def test_what_cannot_be_done_is_said(command, published, served, name, flags, message):
    published(2)
    before = served()
    status, _, err = command(name, *flags)
    assert status == 2
    assert message in err
    assert served() == before


def test_prune_keeps_the_newest_and_the_labelled(command, published, tmp_path):
    published(5)
    assert command("prune", "--keep", "1", "--dry_run")[1].count("would remove") == 3
    status, out, _ = command("prune", "--keep", "1")
    assert (status, out.count("removed")) == (0, 3)
    assert sorted(entry.name for entry in (tmp_path / "m").iterdir()) == ["1", "5"]
    published(1)
    assert (tmp_path / "m" / "6").is_dir()
    assert not list(tmp_path.glob(".m-pruned-*"))


def test_list_tells_versions_labels_and_what_is_known_of_them(command, published, tmp_path):
    published(2)
    (tmp_path / "foreign" / "00012").mkdir(parents=True)
    (tmp_path / "notes").mkdir()
    (tmp_path / "m" / "4.bak").mkdir()
    status, out, _ = command("list", "--json")
    rows = json.loads(out)
    assert status == 0
    assert [(row["model"], row["version"], row["labels"]) for row in rows] == [
        ("foreign", 12, []),
        ("m", 1, ["stable"]),
        ("m", 2, ["canary"]),
    ]
    assert rows[0]["precision"] is None
    assert (rows[2]["accuracy"], rows[2]["gates"], rows[2]["is_newest"]) == (0.875, "1/2", True)
    table = command("list", "--model", "m")[1].splitlines()
    assert len(table) == 3
    assert table[1].split()[:4] == ["m", "1", "stable", "fp32"]


def test_an_empty_models_dir_is_said(command, tmp_path):
    assert "no model in" in command("list")[2]
    assert main(["list", "--models_dir", str(tmp_path / "none")]) == 2


def test_what_a_user_wrote_into_models_config_stays(published, served, tmp_path):
    published(1)
    path = tmp_path / "models.config"
    config = text_format.Parse(path.read_text(), model_server_config_pb2.ModelServerConfig())
    models = config.model_config_list.config
    models[0].base_path = "/models/m"
    models[0].version_labels["kept"] = 1
    models.add(name="theirs", base_path="/elsewhere")
    path.write_text(text_format.MessageToString(config))
    published(1)
    assert served()["m"] == ([1, 2], {"stable": 1, "canary": 2, "kept": 1})
    assert 'base_path: "/models/m"' in path.read_text()
    assert served()["theirs"] == ([], {})


def test_a_models_config_that_does_not_parse_is_not_overwritten(command, published, tmp_path):
    published(2)
    (tmp_path / "models.config").write_text("model_config_list {")
    status, _, err = command("promote")
    assert status == 2
    assert "does not parse as a ModelServerConfig" in err
    assert (tmp_path / "models.config").read_text() == "model_config_list {"
