"""The claims lab: what is said of graph mode, put to the installed TensorFlow."""
