"""Texts that are no text, and the REST API."""

import tensorflow as tf

from graphmode.photo import photo_to_image

PHOTO_SPEC = {
    name: tf.TensorSpec([None], tf.string, name=name) for name in ("photo", "photo_bytes", "word")
}


def brightness(photo):
    pixels = tf.map_fn(lambda one: photo_to_image(one, 8), photo, fn_output_signature=tf.float32)
    return {"brightness": tf.reduce_mean(pixels, [1, 2, 3])}


def test_photos_under_a_name_that_does_not_say_so_are_a_warning(check, save):
    result = check(save(serving_default=(brightness, PHOTO_SPEC["photo"])))
    assert (result.status, result.warnings) == (0, ["base64 aliases"])
    assert "input serving_default.photo takes encoded bytes" in result.said["base64 aliases"]
    assert "works under any alias" in result.said["base64 aliases"]


def test_binary_outputs_must_end_in_bytes(check, save):
    def encoded(word):
        png = tf.io.encode_png(tf.zeros([2, 2, 3], tf.uint8))
        return {"echo": word, "picture": tf.fill(tf.shape(word), png)}

    result = check(save(serving_default=(encoded, PHOTO_SPEC["word"])))
    assert (result.status, result.warnings) == (0, ["base64 aliases"])
    assert "output serving_default.picture" in result.said["base64 aliases"]


def test_an_echo_is_binary_because_a_photo_came_back(check, save):
    result = check(save(serving_default=(lambda word: {"echo": word}, PHOTO_SPEC["word"])))
    assert "output serving_default.echo may hold bytes" in result.said["base64 aliases"]


def test_names_that_say_so_are_ok(check, save):
    def thumbnail(photo_bytes):
        return brightness(photo_bytes) | {"same_bytes": photo_bytes}

    result = check(save(serving_default=(thumbnail, PHOTO_SPEC["photo_bytes"])))
    assert (result.status, result.warnings) == (0, [])
    assert result.verdicts["base64 aliases"] == "ok"
