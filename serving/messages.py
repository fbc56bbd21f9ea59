"""TensorFlow Serving's protobuf messages, without importing TensorFlow.

The message classes of `tensorflow_serving.apis` need only the generated modules below
`tensorflow.core`, yet `import tensorflow` takes seconds and half a gigabyte. While they are
imported, a bare module that merely knows TensorFlow's folder stands in its place.
"""

import importlib.util
import sys
import types
from pathlib import Path


def tensorflow_folder() -> Path:
    """Where the installed TensorFlow wheel lies; raises ImportError when there is none."""
    if "tensorflow" in sys.modules:
        return Path(next(iter(sys.modules["tensorflow"].__path__)))
    spec = importlib.util.find_spec("tensorflow")
    if spec is None or spec.origin is None:
        raise ImportError("TensorFlow is not installed: pip install tensorflow")
    return Path(spec.origin).parent


_needs_stand_in = "tensorflow" not in sys.modules
if _needs_stand_in:
    _stand_in = types.ModuleType("tensorflow")
    _stand_in.__path__ = [str(tensorflow_folder())]
    sys.modules["tensorflow"] = _stand_in
try:
    from tensorflow.core.framework import graph_pb2, tensor_pb2, types_pb2
    from tensorflow.core.protobuf import config_pb2, meta_graph_pb2, saved_model_pb2
    from tensorflow_serving.apis import (
        get_model_metadata_pb2,
        get_model_status_pb2,
        predict_pb2,
        prediction_log_pb2,
    )
    from tensorflow_serving.config import model_server_config_pb2
finally:
    if _needs_stand_in:
        del sys.modules["tensorflow"]

__all__ = [
    "config_pb2",
    "get_model_metadata_pb2",
    "get_model_status_pb2",
    "graph_pb2",
    "meta_graph_pb2",
    "model_server_config_pb2",
    "predict_pb2",
    "prediction_log_pb2",
    "saved_model_pb2",
    "tensor_pb2",
    "tensorflow_folder",
    "types_pb2",
]
