"""Models as people save them, each looked at as a server would."""

import keras
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def floats(*shape, name="x"):
    return tf.TensorSpec(shape, tf.float32, name=name)


def test_keras_model_export_answers_but_stores_its_weights_twice(check, keras_network, tmp_path):
    keras_network.export(tmp_path / "keras" / "3", verbose=False)
    result = check(tmp_path / "keras")
    assert result.status == 0
    assert result.failing == []
    assert result.warnings == ["weights stored once"]
    weights = sum(
        np.asarray(weight).nbytes for weight in keras_network.get_weights() if weight.any()
    )
    assert f"{weights} bytes are stored twice" in result.said["weights stored once"]
    assert result.report["saved_model"].endswith("keras/3")
    assert result.report["signatures"]["serving_default"] == {
        "method": "tensorflow/serving/predict",
        "inputs": {"x": {"dtype": "float32", "shape": [None, 8]}},
        "outputs": {"output_0": {"dtype": "float32", "shape": [None, 3]}},
    }


def test_an_export_archive_is_in_order(check, keras_network, tmp_path):
    archive = keras.export.ExportArchive()
    archive.add_endpoint(
        "serving_default",
        lambda x: {"logits": keras_network(tf.ensure_shape(x, [None, 8]))},
        [floats(None, 8)],
    )
    archive.write_out(tmp_path / "1", verbose=False)
    result = check(tmp_path / "1", "--fuzz_requests=200")
    assert (result.status, result.failing, result.warnings) == (0, [], []), result.said
    assert "outlived 200 odd requests" in result.said["crash fuzz"]


def test_saved_model_save_of_a_keras_model_loses_its_variables_in_a_session(
    check, keras_network, tmp_path
):
    tf.saved_model.save(keras_network, str(tmp_path / "1"))
    result = check(tmp_path / "1", "--fuzz_requests=200")
    assert result.status == 1
    assert result.failing == ["session"]
    assert "Could not find variable" in result.said["session"]
    assert "ExportArchive" in result.said["session"]
    assert result.verdicts["crash fuzz"] == "not applicable"


def test_a_model_of_a_tf1_builder_is_in_order(check, tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2], "x")
        weight = v1.get_variable("weight", [2, 1], use_resource=False)
        serialized = v1.placeholder(tf.string, [None], "examples")
        parsed = v1.io.parse_example(
            serialized,
            {
                "age": tf.io.FixedLenFeature([2], tf.float32),
                "n": tf.io.FixedLenFeature([], tf.int64),
            },
        )
        scores = parsed["age"] @ weight + tf.cast(parsed["n"], tf.float32)[:, None]
        session.run(v1.global_variables_initializer())
        predict = v1.saved_model.predict_signature_def({"x": x}, {"y": x @ weight})
        regress = v1.saved_model.regression_signature_def(serialized, scores)
        builder = v1.saved_model.Builder(str(tmp_path / "1"))
        builder.add_meta_graph_and_variables(
            session, ["serve"], {"serving_default": predict, "regress": regress}
        )
        builder.save()
    result = check(tmp_path / "1")
    assert (result.status, result.failing, result.warnings) == (0, [], []), result.said
    assert result.said["session"].startswith("Answered in a session: regress, serving_default.")


class Encoder(tf.Module):
    """As modules of TensorFlow Hub are written: `__call__`, and more functions beside it."""

    def __init__(self):
        super().__init__()
        self.table = tf.Variable(tf.random.stateless_uniform([50, 4], [1, 2]), name="table")
        self.steps = tf.Variable(0, trainable=False)

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32, name="ids")])
    def __call__(self, ids):
        return {"mean": tf.reduce_mean(tf.gather(self.table, ids), axis=1)}


def test_a_subclassed_module_is_in_order(check, tmp_path):
    module = Encoder()
    tf.saved_model.save(module, str(tmp_path / "1"), signatures=module.__call__)
    result = check(tmp_path / "1")
    assert (result.status, result.failing, result.warnings) == (0, [], []), result.said


def test_a_model_with_a_lookup_table_and_its_asset_is_in_order(check, save, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("cat\ndog\n")
    module = tf.Module()
    module.words = tf.lookup.StaticHashTable(
        tf.lookup.TextFileInitializer(
            str(words),
            tf.string,
            tf.lookup.TextFileIndex.WHOLE_LINE,
            tf.int64,
            tf.lookup.TextFileIndex.LINE_NUMBER,
        ),
        -1,
    )
    folder = save(
        module=module,
        serving_default=(
            lambda word: {"number": module.words.lookup(word)},
            tf.TensorSpec([None], tf.string, name="word"),
        ),
    )
    words.unlink()
    result = check(folder)
    assert (result.status, result.failing, result.warnings) == (0, [], []), result.said
