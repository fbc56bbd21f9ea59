"""A server started with models.config answers by label, and by a moved one after a rollback."""

import json

import pytest
import tensorflow as tf

from export.config import ExportConfig
from export.forms import form_of
from export.publishing.models_folder import publish
from export.publishing.moving import promote, roll_back


@pytest.fixture
def models_dir(tmp_path):
    """Two versions of a model that multiplies, by one and by two."""
    form = form_of(ExportConfig(run_dir=tmp_path, models_dir=tmp_path, model_name="times"), "fp32")
    for factor in (1.0, 2.0):
        module = tf.Module()
        module.factor = tf.Variable(factor)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="x")])
        def times(x, module=module):
            """One trace for any number of rows."""
            return {"y": x * module.factor}

        written = tmp_path / f".written-{factor}"
        tf.saved_model.save(module, str(written), signatures={"serving_default": times})
        publish(written, form)
    return tmp_path


def answers(server):
    """What three asks for by each label; a server is ready with the first of a model's versions."""
    replies = {}
    for label in ("stable", "canary"):
        path = f"/v1/models/times/labels/{label}:predict"
        server.wait_until(lambda path=path: server.ask(path, {"instances": [3.0]})[0] == 200)
        replies[label] = json.loads(server.ask(path, {"instances": [3.0]})[1])["predictions"]
    return replies


def test_labels_choose_the_version(models_dir, serve):
    flag = f"--model_config_file={models_dir / 'models.config'}"
    assert answers(serve(flag)) == {"stable": [3.0], "canary": [6.0]}
    promote(models_dir, "times", None)
    assert answers(serve(flag)) == {"stable": [6.0], "canary": [6.0]}
    roll_back(models_dir, "times", None)
    assert answers(serve(flag)) == {"stable": [3.0], "canary": [6.0]}
