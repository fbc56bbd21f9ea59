"""The guarded model in our server, which is told to leave shapes to TensorFlow, as others do."""

import json

import pytest

RANK_ONE = {"inputs": {"image": [1.0]}}
GOOD = {"inputs": {"image": [[[[0.5] * 3] * 32] * 32]}}


def _flags(version):
    return (
        *("--model_name=model", f"--model_base_path={version.parent}"),
        "--validate_input_shapes=false",
    )


@pytest.mark.usefixtures("onednn")
def test_what_ends_a_server_is_answered_400_with_the_guard(serve, deadly_model, guarded_model):
    unguarded = serve(*_flags(deadly_model))
    expected = unguarded.ask("/v1/models/model:predict", GOOD)
    with pytest.raises(OSError, match=r"closed|reset|Remote"):
        unguarded.ask("/v1/models/model:predict", RANK_ONE)
    assert unguarded.process.wait(timeout=30) < 0

    guarded = serve(*_flags(guarded_model))
    status, body = guarded.ask("/v1/models/model:predict", RANK_ONE)
    assert status == 400
    assert "is not compatible with expected shape [?,32,32,3]" in json.loads(body)["error"]
    assert guarded.ask("/v1/models/model:predict", GOOD) == expected
    assert expected[0] == 200
