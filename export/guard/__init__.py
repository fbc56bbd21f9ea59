"""Shape guards for a SavedModel that anybody made: `python -m export guard IN OUT`.

             before                              after
    x (fed) ---------> convolution       x (fed) --> EnsureShape --> convolution
      rank 1 ends the process              rank 1 answers INVALID_ARGUMENT

TensorFlow Serving does not hold a request against the signature's shape, and some kernels end the
process at a rank that they do not expect. The signatures, variables and assets stay as they are.

What a session runs is guarded: TensorFlow Serving, our server, `saved_model_cli run`. Python's
`tf.saved_model.load` calls the functions of a TF2 model past its graph, so nothing changes there.
"""
