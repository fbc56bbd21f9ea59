"""Every kind of photo becomes the same input, in every way of running."""

import io

import numpy as np
import pytest
import tensorflow as tf
from PIL import Image

from graphmode.photo import IMAGE_SIZE, decode_photo, photo_to_image, resize_photo, scale_pixels

InvalidArgumentError = tf.errors.InvalidArgumentError
PIXELS = np.random.default_rng(1).integers(0, 256, (12, 16, 3), np.uint8)


def encode(mode="RGB", image_format="PNG", **options):
    photo = Image.fromarray(PIXELS).convert(mode)
    if mode == "RGBA":
        photo.putalpha(99)
    encoded = io.BytesIO()
    photo.save(encoded, image_format, **options)
    return encoded.getvalue()


def reopen(encoded):
    return np.asarray(Image.open(io.BytesIO(encoded)).convert("RGB"))


LOSSLESS = {
    "png": encode(),
    "png with alpha": encode("RGBA"),
    "png of gray": encode("L"),
    "png with palette": encode("P"),
    "bmp": encode(image_format="BMP"),
    "bmp with alpha": encode("RGBA", "BMP"),
    "gif": encode("P", "GIF"),
    "webp": encode(image_format="WEBP", lossless=True),
    "webp with alpha": encode("RGBA", "WEBP", lossless=True),
    "extended webp with alpha": encode("RGBA", "WEBP", lossless=True, exif=b"Exif\0\0"),
}


@pytest.mark.parametrize("kind", LOSSLESS)
def test_a_lossless_photo_comes_out_to_the_bit(kind):
    photo = decode_photo(tf.constant(LOSSLESS[kind]))
    assert photo.dtype == tf.uint8
    np.testing.assert_array_equal(photo, reopen(LOSSLESS[kind]))


@pytest.mark.parametrize(
    ("mode", "image_format"),
    [("RGB", "JPEG"), ("L", "JPEG"), ("CMYK", "JPEG"), ("RGB", "WEBP"), ("RGBA", "WEBP")],
)
def test_a_lossy_photo_comes_out_as_pillow_reads_it(mode, image_format):
    smooth = np.full((32, 32, 3), (200, 90, 30), np.uint8)
    photo = Image.fromarray(smooth).convert(mode)
    encoded = io.BytesIO()
    photo.save(encoded, image_format)
    decoded = decode_photo(tf.constant(encoded.getvalue()))
    np.testing.assert_allclose(decoded, reopen(encoded.getvalue()), atol=4)


def test_a_jpeg_is_decoded_as_by_decode_jpeg():
    encoded = encode(image_format="JPEG")
    np.testing.assert_array_equal(
        decode_photo(tf.constant(encoded)), tf.io.decode_jpeg(encoded, channels=3)
    )


def test_the_first_frame_of_a_gif_counts():
    frames = [Image.new("P", (8, 8), 0), Image.new("P", (8, 8), 1)]
    for frame, colour in zip(frames, [(255, 0, 0), (0, 0, 255)], strict=True):
        frame.putpalette(colour * 2)
    encoded = io.BytesIO()
    frames[0].save(encoded, "GIF", save_all=True, append_images=frames[1:])
    assert decode_photo(tf.constant(encoded.getvalue()))[4, 4].numpy().tolist() == [255, 0, 0]


@pytest.mark.parametrize("kind", ["png", "webp with alpha", "extended webp with alpha"])
def test_a_photo_cut_anywhere_is_an_error_at_worst(kind):
    decode = tf.function(decode_photo, input_signature=[tf.TensorSpec([], tf.string)])
    encoded = LOSSLESS[kind]
    for end in range(len(encoded)):
        try:
            decode(encoded[:end])
        except InvalidArgumentError:
            continue


def test_resizing_squashes_with_tensorflows_resize_bilinear():
    expected = tf.compat.v1.image.resize_bilinear(
        PIXELS[None], [5, 5], align_corners=False, half_pixel_centers=True
    )[0]
    resized = resize_photo(tf.constant(PIXELS), 5)
    assert resized.dtype == tf.float32
    np.testing.assert_array_equal(resized, expected)


def test_the_image_lies_in_0_to_1():
    image = photo_to_image(tf.constant(LOSSLESS["png"]))
    assert image.shape == (IMAGE_SIZE, IMAGE_SIZE, 3)
    np.testing.assert_allclose(image, resize_photo(PIXELS) / 255, rtol=1e-6)


def test_black_is_0_and_white_is_1():
    assert scale_pixels(tf.constant([0, 255], tf.uint8)).numpy().tolist() == [0, 1]


def test_eager_graph_map_and_session_give_the_same_image():
    batch = tf.constant([LOSSLESS["webp with alpha"], encode(image_format="JPEG")])
    eager = np.stack([photo_to_image(encoded, 8) for encoded in batch])
    in_map = tf.map_fn(
        lambda encoded: photo_to_image(encoded, 8),
        batch,
        fn_output_signature=tf.TensorSpec([8, 8, 3], tf.float32),
    )
    in_graph = tf.function(lambda encoded: photo_to_image(encoded, 8))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        encoded = tf.compat.v1.placeholder(tf.string, [])
        image = photo_to_image(encoded, 8)
        in_session = [session.run(image, {encoded: one}) for one in batch.numpy()]
        with pytest.raises(InvalidArgumentError):
            session.run(image, {encoded: b"no photo"})
    np.testing.assert_array_equal(in_map, eager)
    np.testing.assert_array_equal([in_graph(encoded) for encoded in batch], eager)
    np.testing.assert_array_equal(in_session, eager)


def test_shapes_are_known_where_they_can_be():
    spec = tf.TensorSpec([], tf.string)
    assert tf.function(decode_photo).get_concrete_function(spec).output_shapes == [None, None, 3]
    assert tf.function(photo_to_image).get_concrete_function(spec).output_shapes == [224, 224, 3]
