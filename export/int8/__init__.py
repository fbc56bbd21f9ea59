"""The int8 form: oneDNN's 8-bit convolutions, by operations that stock TensorFlow has.

plan         which convolutions, additions and ReLUs become one 8-bit convolution each
calibration  the largest value of each of them, on training photos
network      the graph of it
kernels      the operations, which TensorFlow keeps private: its version must be pinned
"""
