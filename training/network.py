"""The networks: ResNet-18, and a miniature of the same parts for tests.

    image 0..1 -> normalization -> stem -> residual blocks -> average -> logits -> probabilities

Padded on all sides alike, as torchvision's is, so that its weights can be taken. Only plain Keras
layers in a Functional model, so that whoever holds `model.keras` can rebuild it layer by layer
(export folds the batch norms into the convolutions). Averaging over all places
makes the weights fit any image size: training may use smaller images than serving.
"""

from collections.abc import Callable
from functools import partial

import keras
from keras import layers

Network = Callable[..., keras.Model]
BatchNorm = Callable[..., layers.BatchNormalization]

# ImageNet's mean and standard deviation by channel, for pixels in 0..1.
_MEAN = (0.485, 0.456, 0.406)
_DEVIATION = (0.229, 0.224, 0.225)

# Statistics of the last tens of steps: a short training must not serve those of its first ones.
_MOMENTUM = 0.9


def resnet18(
    classes: int,
    image_size: int | None = 224,
    batch_norm: BatchNorm = layers.BatchNormalization,
) -> keras.Model:
    """ResNet-18 (He et al. 2015, arXiv:1512.03385, table 1; 11.2 million parameters).

    Args:
        classes: how many probabilities come out.
        image_size: width and height of the input; None takes any.
        batch_norm: class of the normalising layers; training has a faster one.

    Returns:
        Functional model: `image` float32 [B, image_size, image_size, 3] in 0..1 to
        `probabilities` float32 [B, classes]; its layer `logits` gives what softmax takes.
    """
    image = keras.Input((image_size, image_size, 3), name="image")
    x = _convolution(_normalized(image), batch_norm, 64, kernel=7, stride=2, name="stem")
    x = layers.ReLU(name="stem_relu")(x)
    x = _halved(x)
    for stage, filters in enumerate((64, 128, 256, 512), 1):
        x = _block(
            x, batch_norm, filters, stride=1 if stage == 1 else 2, name=f"stage{stage}_block1"
        )
        x = _block(x, batch_norm, filters, stride=1, name=f"stage{stage}_block2")
    return keras.Model(image, _probabilities(x, classes), name="resnet18")


def tiny(
    classes: int,
    image_size: int | None = 32,
    batch_norm: BatchNorm = layers.BatchNormalization,
) -> keras.Model:
    """Two convolutions and a residual block: every kind of part that `resnet18` has, in 0.1 s."""
    image = keras.Input((image_size, image_size, 3), name="image")
    x = _convolution(_normalized(image), batch_norm, 16, kernel=3, stride=2, name="stem")
    x = layers.ReLU(name="stem_relu")(x)
    x = _halved(x)
    x = _block(x, batch_norm, 32, stride=2, name="stage1_block1")
    return keras.Model(image, _probabilities(x, classes), name="tiny")


def logits_of(model: keras.Model) -> keras.Model:
    """The same network and variables, ending before softmax: what a stable loss needs."""
    return keras.Model(model.input, model.get_layer("logits").output, name=f"{model.name}_logits")


NETWORKS: dict[str, Network] = {"resnet18": resnet18, "tiny": tiny}


def _normalized(image: keras.KerasTensor) -> keras.KerasTensor:
    variance = [deviation**2 for deviation in _DEVIATION]
    return layers.Normalization(mean=_MEAN, variance=variance, name="normalization")(image)


def _convolution(
    x: keras.KerasTensor,
    batch_norm: BatchNorm,
    filters: int,
    *,
    kernel: int,
    stride: int,
    name: str,
) -> keras.KerasTensor:
    # At stride 2, "same" would pad an even size more on one side than on the other.
    if stride > 1 and kernel > 1:
        x = layers.ZeroPadding2D(kernel // 2, name=f"{name}_padding")(x)
    x = layers.Conv2D(
        filters,
        kernel,
        strides=stride,
        padding="same" if stride == 1 else "valid",
        use_bias=False,
        kernel_initializer="he_normal",
        name=f"{name}_conv",
    )(x)
    return batch_norm(momentum=_MOMENTUM, epsilon=1e-5, name=f"{name}_bn")(x)


def _halved(x: keras.KerasTensor) -> keras.KerasTensor:
    """The stem's pool; nothing it takes is negative, so zeros beside them are never the largest."""
    x = layers.ZeroPadding2D(1, name="stem_pool_padding")(x)
    return layers.MaxPooling2D(3, strides=2, name="stem_pool")(x)


def _block(
    x: keras.KerasTensor, batch_norm: BatchNorm, filters: int, *, stride: int, name: str
) -> keras.KerasTensor:
    """Two 3x3 convolutions beside a shortcut; it starts as the shortcut alone (gamma 0)."""
    starts_at_0 = partial(batch_norm, gamma_initializer="zeros")
    shortcut = x
    if stride != 1:
        shortcut = _convolution(
            x, batch_norm, filters, kernel=1, stride=stride, name=f"{name}_shortcut"
        )
    x = _convolution(x, batch_norm, filters, kernel=3, stride=stride, name=f"{name}_1")
    x = layers.ReLU(name=f"{name}_1_relu")(x)
    x = _convolution(x, starts_at_0, filters, kernel=3, stride=1, name=f"{name}_2")
    x = layers.Add(name=f"{name}_add")([shortcut, x])
    return layers.ReLU(name=f"{name}_relu")(x)


def _probabilities(x: keras.KerasTensor, classes: int) -> keras.KerasTensor:
    x = layers.GlobalAveragePooling2D(name="average")(x)
    x = layers.Dense(classes, name="logits")(x)
    return layers.Softmax(name="probabilities")(x)
