"""Real models, each fuzzed in a child process."""

import pytest
import tensorflow as tf

from export.errors import ExportError
from export.fuzz.fuzzing import fuzz

v1 = tf.compat.v1


def save(folder, function, *specs, variables=()):
    """A version folder with one signature; its input_signature is `specs`."""
    module = tf.Module()
    module.variables_of_it = list(variables)
    serve = tf.function(function, input_signature=specs)
    tf.saved_model.save(module, str(folder), signatures={"serving_default": serve})
    return folder


def convolution(image, kernel):
    return {"y": tf.reduce_mean(tf.nn.relu(tf.nn.conv2d(image, kernel, 1, "SAME")), [1, 2])}


def image_spec():
    return tf.TensorSpec([None, 16, 16, 3], tf.float32, name="image")


def test_a_rank_that_kills_a_convolution_is_found_and_named(tmp_path):
    kernel = tf.Variable(tf.ones([3, 3, 3, 4]))
    folder = save(
        tmp_path / "1", lambda image: convolution(image, kernel), image_spec(), variables=[kernel]
    )
    result = fuzz(folder, requests=200)
    assert result.crash is not None
    assert result.crash.signature == "serving_default"
    assert "image float32 []" in result.crash.request
    assert not result.crash.fits_signature
    assert result.crash.ending.startswith("SIGABRT; last on stderr: Check failed")
    assert 0 < result.requests < 200


def test_a_guarded_convolution_survives_and_refuses(tmp_path):
    kernel = tf.Variable(tf.ones([3, 3, 3, 4]))

    def guarded(image):
        return convolution(tf.ensure_shape(image, [None, 16, 16, 3]), kernel)

    folder = save(tmp_path / "1", guarded, image_spec(), variables=[kernel])
    result = fuzz(folder, requests=600, seed=3)
    assert result.crash is None
    assert result.requests == 600
    assert set(result.refused) == {"InvalidArgumentError"}
    assert result.refused["InvalidArgumentError"] > 300
    assert result.answered + sum(result.refused.values()) == 600


def test_a_decoder_that_dies_of_an_animated_picture_is_found(tmp_path):
    def decoded(image_bytes):
        return {
            "mean": tf.map_fn(
                lambda one: tf.reduce_mean(
                    tf.cast(tf.io.decode_image(one, 0, expand_animations=False), tf.float32)
                ),
                image_bytes,
                fn_output_signature=tf.float32,
            )
        }

    folder = save(tmp_path / "1", decoded, tf.TensorSpec([None], tf.string, name="image_bytes"))
    result = fuzz(folder, requests=500)
    assert result.crash is not None
    assert result.crash.ending.startswith(("SIGABRT", "SIGSEGV"))


def test_a_parser_of_examples_dies_of_an_endless_list(tmp_path):
    features = {"word": tf.io.FixedLenFeature([], tf.string)}

    def parsed(inputs):
        return {"word": tf.io.parse_example(tf.ensure_shape(inputs, [None]), features)["word"]}

    folder = save(tmp_path / "1", parsed, tf.TensorSpec([None], tf.string, name="inputs"))
    result = fuzz(folder, requests=100)
    assert result.crash is not None
    assert "an Example with an endless list" in result.crash.request
    assert result.crash.fits_signature
    assert result.crash.ending.startswith("SIGSEGV")


def test_a_request_for_too_much_memory_is_an_error_not_a_crash(tmp_path):
    def filled(size):
        return {"y": tf.fill([size], 1.0)}

    folder = save(tmp_path / "1", filled, tf.TensorSpec([], tf.int32, name="size"))
    result = fuzz(folder, requests=12)
    assert result.crash is None
    assert result.requests == 12
    assert {"ResourceExhaustedError", "InvalidArgumentError"} <= set(result.refused)


def test_a_graph_of_tf1_is_fuzzed_though_its_errors_quote_bytes_that_are_no_text(tmp_path):
    folder = tmp_path / "1"
    with tf.Graph().as_default(), v1.Session() as session:
        x, unread, text = (
            v1.placeholder(tf.float32, [None, 2], "x"),
            v1.placeholder(tf.int32, [None], "unread"),
            v1.placeholder(tf.string, None, "text"),
        )
        weight = v1.get_variable("weight", [2, 1])
        session.run(v1.global_variables_initializer())
        info = v1.saved_model.build_tensor_info
        inputs = {"x": info(x), "unread": info(unread)}
        outputs = {"y": info(x @ weight), "same": info(x)}
        builder = v1.saved_model.Builder(str(folder))
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {
                "dot": v1.saved_model.build_signature_def(inputs, outputs),
                "number": v1.saved_model.build_signature_def(
                    {"text": info(text)}, {"n": info(tf.strings.to_number(text))}
                ),
            },
        )
        builder.save()
    result = fuzz(folder, requests=200)
    assert result.crash is None
    assert result.requests == 200
    assert result.answered > 20
    assert result.refused["InvalidArgumentError"] == 200 - result.answered
    with pytest.raises(ExportError, match="no signature 'nope'; there is dot, number"):
        fuzz(folder, requests=1, signatures=["nope"])


def test_a_model_that_does_not_load_is_an_error(tmp_path):
    with pytest.raises(ExportError, match="cannot begin"):
        fuzz(tmp_path, requests=1)
