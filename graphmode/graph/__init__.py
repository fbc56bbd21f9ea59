"""A graph as it was traced, and as TensorFlow runs it."""
