"""From a training run to a SavedModel that TensorFlow Serving accepts; see `python -m export`."""
