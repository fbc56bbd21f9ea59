"""Texts that are no text, and the REST API."""

import tensorflow as tf

from export.fuzz.open_graph import served_meta_graph, served_signatures
from export.preflight.reach import signature_reaches
from export.preflight.rest_checks import check_aliases
from export.preflight.trial import Answer, Trial, run_trial
from graphmode.photo import photo_to_image

PHOTO_SPEC = {
    name: tf.TensorSpec([None], tf.string, name=name) for name in ("photo", "photo_bytes", "word")
}


def brightness(photo):
    pixels = tf.map_fn(lambda one: photo_to_image(one, 8), photo, fn_output_signature=tf.float32)
    return {"brightness": tf.reduce_mean(pixels, [1, 2, 3])}


def finding(folder, answers=None):
    """What the graph alone tells, and what answers tell beside it."""
    meta_graph = served_meta_graph(folder)
    return check_aliases(
        served_signatures(meta_graph),
        signature_reaches(meta_graph),
        Trial(unloadable="", answers=answers or {}),
    )


def test_photos_under_a_name_that_does_not_say_so_are_a_warning(save):
    found = finding(save(serving_default=(brightness, PHOTO_SPEC["photo"])))
    assert found.verdict == "warning"
    assert "input serving_default.photo takes encoded bytes" in found.found
    assert "works under any alias" in found.found


def test_binary_outputs_must_end_in_bytes(save):
    def encoded(word):
        png = tf.io.encode_png(tf.zeros([2, 2, 3], tf.uint8))
        return {"picture": tf.fill(tf.shape(word), png), "length": tf.strings.length(word)}

    found = finding(save(serving_default=(encoded, PHOTO_SPEC["word"])))
    assert found.verdict == "warning"
    assert found.found.startswith("output serving_default.picture may hold")


def answered(alias):
    outputs = {alias: {"shape": [2], "binary": True}}
    return {"serving_default": Answer(error="", message="", rows=2, outputs=outputs)}


def test_an_echo_is_binary_because_a_photo_came_back(save):
    folder = save(serving_default=(lambda word: {"echo": word}, PHOTO_SPEC["word"]))
    assert finding(folder).verdict == "ok"
    found = finding(folder, run_trial(folder, left_out=()).answers)
    assert found.verdict == "warning"
    assert "output serving_default.echo may hold bytes" in found.found


def test_names_that_say_so_are_ok(save):
    def thumbnail(photo_bytes):
        return brightness(photo_bytes) | {"same_bytes": photo_bytes}

    folder = save(serving_default=(thumbnail, PHOTO_SPEC["photo_bytes"]))
    assert finding(folder, answered("same_bytes")).verdict == "ok"
