"""Finds in source code, without running it, what goes wrong in a `tf.function` (no TensorFlow)."""
