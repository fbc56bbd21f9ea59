"""What becomes an 8-bit operation, and what is refused before it can crash a server."""

import keras
import pytest
from keras import layers

from export.errors import ExportError
from export.int8.plan import Convolution, MaxPool, plan_of


def classifier(body):
    image = keras.Input((16, 16, 3), name="image")
    x = layers.GlobalAveragePooling2D()(body(image))
    return keras.Model(image, layers.Dense(2, activation="softmax")(x))


def convolution(x, name, filters=3):
    return layers.Conv2D(filters, 3, padding="same", name=name)(x)


def test_a_residual_network_becomes_one_node_a_convolution(residual_network):
    plan = plan_of(residual_network)
    convolutions = [node for node in plan.nodes if isinstance(node, Convolution)]
    assert [isinstance(node, MaxPool) for node in plan.nodes].count(True) == 1
    assert [node.is_projection for node in convolutions].count(True) == 1
    assert [node.summand is not None for node in convolutions] == [
        *(False, False, True),  # stem and the block with an identity shortcut
        *(False, False, True),  # the block with a projection, which comes before its sum
    ]
    assert [layer.kind for layer in plan.scaling] == ["Normalization"]
    assert [layer.kind for layer in plan.tail] == ["GlobalAveragePooling2D", "Dense", "Softmax"]


def test_a_summand_that_is_read_later_is_refused():
    """The kernel writes its sum over it, now and then before the other reader has read it."""

    def body(image):
        trunk = layers.ReLU()(convolution(image, "trunk"))
        inner = layers.ReLU()(convolution(trunk, "inner"))
        summed = layers.Add()([trunk, convolution(inner, "first")])
        late = layers.ReLU()(convolution(trunk, "late"))
        x = layers.ReLU()(summed)
        return layers.ReLU()(layers.Add()([late, convolution(x, "last")]))

    with pytest.raises(ExportError, match=r'"late".*may read a tensor after layer "first"'):
        plan_of(classifier(body))


def test_a_summand_that_was_read_before_is_welcome():
    def body(image):
        trunk = layers.ReLU()(convolution(image, "trunk"))
        inner = layers.ReLU()(convolution(trunk, "inner"))
        return layers.ReLU()(layers.Add()([trunk, convolution(inner, "outer")]))

    assert len(plan_of(classifier(body)).nodes) == 3


def test_a_convolution_that_adds_its_own_input_is_refused():
    def body(image):
        trunk = layers.ReLU()(convolution(image, "trunk"))
        return layers.ReLU()(layers.Add()([trunk, convolution(trunk, "own")]))

    with pytest.raises(ExportError, match=r'"own".*may read a tensor after'):
        plan_of(classifier(body))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (lambda x: convolution(x, "bare"), '"bare" .*no place'),
        (lambda x: layers.ReLU()(layers.ReLU()(convolution(x, "c"))), "ReLU.* no place"),
        (lambda x: layers.ReLU()(layers.Add()([x, x])), r"Add\) stands where .*no place"),
        (
            lambda x: layers.Rescaling(2.0)(layers.ReLU()(convolution(x, "c"))),
            r"Rescaling\) stands where .*no place",
        ),
        (layers.MaxPooling2D(2), "no convolution"),
    ],
)
def test_what_has_no_place_in_8_bits_is_named(body, message):
    with pytest.raises(ExportError, match=f"int8.*{message}"):
        plan_of(classifier(body))
