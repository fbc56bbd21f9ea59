"""The networks are plain Keras models whose weights fit any image size."""

import keras
import numpy as np
import pytest

from training.network import NETWORKS, logits_of, resnet18, tiny

PLAIN_LAYERS = {
    "InputLayer", "Normalization", "ZeroPadding2D", "Conv2D", "BatchNormalization", "ReLU", "Add",
    "MaxPooling2D", "GlobalAveragePooling2D", "Dense", "Softmax",
}  # fmt: skip


@pytest.fixture
def images():
    return np.random.default_rng(1).random((3, 32, 32, 3), np.float32)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_takes_image_and_gives_probabilities(name, images):
    model = NETWORKS[name](3, 32)
    assert model.input.name == "image"
    assert model.input.shape == (None, 32, 32, 3)
    assert model.layers[-1].name == "probabilities"
    probabilities = model(images)
    assert (probabilities.shape, probabilities.dtype) == ((3, 3), "float32")
    np.testing.assert_allclose(np.sum(probabilities, axis=1), 1, rtol=1e-5)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_is_made_of_the_layers_that_export_knows(name):
    assert {type(layer).__name__ for layer in NETWORKS[name](2).layers} == PLAIN_LAYERS


def test_resnet18_has_the_parameters_of_the_paper_and_takes_224_pixels():
    model = resnet18(1000)
    assert model.input.shape == (None, 224, 224, 3)
    assert sum(np.prod(variable.shape) for variable in model.trainable_variables) == 11_689_512
    assert model.get_layer("stage4_block2_relu").output.shape == (None, 7, 7, 512)


def test_pixels_are_normalized_inside():
    normalized = tiny(2).get_layer("normalization")
    mean = np.array([[[[0.485, 0.456, 0.406]]]], np.float32)
    np.testing.assert_allclose(normalized(mean), np.zeros((1, 1, 1, 3)), atol=1e-6)
    white = (1 - mean) / np.array([0.229, 0.224, 0.225])
    np.testing.assert_allclose(normalized(np.ones((1, 1, 1, 3))), white, rtol=1e-5)


def test_weights_fit_any_image_size(images):
    trained, served = tiny(2, image_size=None), tiny(2, image_size=32)
    served.set_weights(trained.get_weights())
    np.testing.assert_array_equal(served(images), trained(images))
    assert trained(np.ones((1, 48, 48, 3), np.float32)).shape == (1, 2)


def test_logits_share_the_networks_variables(images):
    model = tiny(2)
    model.get_layer("logits").bias.assign([3.0, -3.0])
    np.testing.assert_allclose(model(images), keras.ops.softmax(logits_of(model)(images)))


def test_a_saved_network_opens_without_our_code(tmp_path, images):
    model = tiny(2)
    model.save(tmp_path / "model.keras")
    opened = keras.saving.load_model(tmp_path / "model.keras", compile=False)
    np.testing.assert_array_equal(opened(images), model(images))
