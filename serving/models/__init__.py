"""Which models there are, and the life of each of their versions."""
