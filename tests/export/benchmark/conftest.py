import json
import warnings

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

SIZE = 32
LABELS = ("cat", "dog", "fox")


@pytest.fixture(scope="session")
def run_dir(tmp_path_factory):
    """A run of a small residual network, which every form takes."""
    folder = tmp_path_factory.mktemp("runs") / "residual"
    folder.mkdir()
    keras.utils.set_random_seed(5)
    with warnings.catch_warnings():
        # Keras 3.15 reads a variable by an __array__ without the copy keyword of NumPy 2.
        warnings.filterwarnings("ignore", "__array__ implementation", DeprecationWarning)
        residual_network().save(folder / "model.keras")
    (folder / "labels.txt").write_text("".join(f"{label}\n" for label in LABELS))
    write_photos(folder)
    return folder


def residual_network():
    image = keras.Input((SIZE, SIZE, 3), name="image")
    x = layers.Normalization(mean=[0.48, 0.45, 0.4], variance=[0.05, 0.05, 0.06])(image)
    x = layers.ZeroPadding2D(3)(x)
    x = layers.BatchNormalization()(layers.Conv2D(16, 7, strides=2, use_bias=False)(x))
    x = layers.ReLU()(x)
    shortcut = x
    x = layers.BatchNormalization()(layers.Conv2D(16, 3, padding="same", use_bias=False)(x))
    x = layers.ReLU()(x)
    x = layers.BatchNormalization()(layers.Conv2D(16, 3, padding="same", use_bias=False)(x))
    x = layers.ReLU()(layers.Add()([shortcut, x]))
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(image, layers.Softmax()(layers.Dense(len(LABELS))(x)))


def write_photos(folder):
    """Five PNG files of each part: fewer than a request of eight needs."""
    random = np.random.default_rng(9)
    rows = []
    for part in ("train", "validation"):
        (folder / "photos" / part).mkdir(parents=True)
        for number in range(5):
            pixels = tf.cast(tf.image.resize(random.uniform(0, 255, (5, 5, 3)), (40, 48)), tf.uint8)
            path = f"photos/{part}/{number}.png"
            (folder / path).write_bytes(tf.io.encode_png(pixels).numpy())
            rows.append({"part": part, "label": number % len(LABELS), "path": path})
    (folder / "photos.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
