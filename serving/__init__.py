"""Serving: a drop-in for TensorFlow Serving, and the eager baseline it is measured against."""
