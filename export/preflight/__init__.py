"""What TensorFlow Serving would make of anyone's SavedModel, said before it is served."""
