"""Tools for code that runs as a TensorFlow graph; imports no stage."""
