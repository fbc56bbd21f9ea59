"""What is in a SavedModel that anybody made: `python -m export show SAVED_MODEL`."""
