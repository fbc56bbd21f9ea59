"""What clients rely on: the names, types and shapes of every published signature.

They stand in signatures.json, where `rows` is any number of rows, `size` the width and height of
the model's input in pixels, and `classes` the number of its classes.
"""

import json
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("signatures.json")


def expected_signatures(classes: int, image_size: int) -> dict[str, Any]:
    """By signature: method, inputs and outputs as [dtype, shape]; -1 is any number of rows."""
    numbers = {"rows": -1, "size": image_size, "classes": classes}
    return {
        name: {
            "method": signature["method"],
            **{
                side: {
                    alias: [dtype, [numbers.get(axis, axis) for axis in shape]]
                    for alias, (dtype, shape) in signature[side].items()
                }
                for side in ("inputs", "outputs")
            },
        }
        for name, signature in json.loads(_FILE.read_text(encoding="utf-8")).items()
    }
