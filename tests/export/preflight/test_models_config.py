"""A models.config beside a model."""

import pytest

from export.preflight.models_config import check_models_config


@pytest.fixture
def model(tmp_path):
    """A model with versions 1 and 2, for a config nothing but folders."""
    for version in ("1", "2"):
        (tmp_path / "net" / version).mkdir(parents=True)
    (tmp_path / "empty").mkdir()
    return tmp_path / "net"


@pytest.fixture
def said_of(model):
    """Verdict and words about a config; MODEL in it is the model's folder, ROOT the one above."""

    def run(text, version="2"):
        path = model.parent / "models.config"
        path.write_text(text.replace("MODEL", str(model)).replace("ROOT", str(model.parent)))
        finding = check_models_config(path, model, model / version)
        return finding.verdict, f"{finding.found} {finding.advice}"

    return run


def entry(rest="", name="net", path="MODEL", platform='model_platform: "tensorflow"'):
    return f'config {{ name: "{name}" base_path: "{path}" {platform} {rest} }}'


def listed(*entries):
    return f"model_config_list {{ {' '.join(entries)} }}"


@pytest.mark.parametrize(
    ("text", "verdict", "words"),
    [
        (listed(entry()), "ok", "serves it as net"),
        ("garbage", "FAILS", "does not parse"),
        ("", "FAILS", "it lists no model"),
        (listed(entry(path="net")), "FAILS", "a relative base_path, 'net'"),
        (listed(entry(), entry()), "FAILS", "net is listed 2 times"),
        (listed(entry(platform="")), "FAILS", "no model_platform"),
        (
            listed(entry(), entry(name="other", path="ROOT/empty")),
            "FAILS",
            "no versions found under base path",
        ),
        (listed(entry(path="ROOT/empty")), "FAILS", "no model in it has the base path"),
        (
            listed(entry('version_labels { key: "stable" value: 1 }')),
            "FAILS",
            "label stable of model net names version 1, loaded are 2",
        ),
        (
            listed(entry('version_labels { key: "stable" value: 2 }')),
            "warning",
            "--allow_version_labels_for_unavailable_models",
        ),
        (
            listed(entry("model_version_policy { specific { versions: 1 } }")),
            "warning",
            "loads 1 of model net, not this version",
        ),
        (listed(entry("model_version_policy { all {} }")), "ok", "serves it as net"),
        (
            listed(entry("model_version_policy { latest { num_versions: 2 } }")),
            "ok",
            "serves it as net",
        ),
    ],
)
def test_what_a_config_means_for_the_model_is_said(said_of, text, verdict, words):
    came, sentence = said_of(text)
    assert came == verdict, sentence
    assert words in sentence


def test_an_older_version_is_not_loaded_by_default(said_of):
    verdict, words = said_of(listed(entry()), version="1")
    assert verdict == "warning"
    assert "loads 2 of model net" in words
