"""What clients rely on: the names, types and shapes of every published signature."""

from typing import Any

_PREDICT_METHOD = "tensorflow/serving/predict"
_CLASSIFY_METHOD = "tensorflow/serving/classify"


def expected_signatures(classes: int, image_size: int) -> dict[str, Any]:
    """By signature: method, inputs and outputs as [dtype, shape]; -1 is any number of rows."""
    image = [-1, image_size, image_size, 3]
    rows = [-1]
    predicts = {
        "outputs": {"probabilities": ["float32", [-1, classes]], "label": ["string", rows]},
        "method": _PREDICT_METHOD,
    }
    return {
        "serving_default": {"inputs": {"image": ["float32", image]}, **predicts},
        "uint8": {"inputs": {"image": ["uint8", image]}, **predicts},
        "image_bytes": {"inputs": {"image_bytes": ["string", rows]}, **predicts},
        "classify": {
            "inputs": {"inputs": ["string", rows]},
            "outputs": {"classes": ["string", [-1, classes]], "scores": ["float32", [-1, classes]]},
            "method": _CLASSIFY_METHOD,
        },
    }
