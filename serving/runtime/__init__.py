"""TensorFlow's C library, and tensors, signatures and sessions on top of it."""
