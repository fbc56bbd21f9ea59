"""The baseline of every comparison: the Keras model behind Flask and gunicorn."""
