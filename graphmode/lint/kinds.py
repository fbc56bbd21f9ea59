"""What a value in a graph function is: a tensor for sure, a tensor presumably, or something else.

A rule that would be wrong about a Python value asks for TENSOR; one that is right about whatever
a caller passes to a `tf.function` (NumPy arrays become tensors) also takes PRESUMED.
"""

import enum
from collections.abc import Iterable

from graphmode.lint.words import words


class Kind(enum.Enum):
    """What is known of a value without running the code."""

    TENSOR = "a tensor: an operation's result, or a parameter with a TensorSpec"
    PRESUMED = "a parameter that nothing in the code shows to be a Python value"
    TENSORS = "a Python list or tuple of tensors"
    DATASET = "a tf.data dataset"
    OTHER = "a Python value, or unknown"


def is_tensor(kind: Kind) -> bool:
    """Whether a value is a tensor, be it presumed."""
    return kind in (Kind.TENSOR, Kind.PRESUMED)


def join(first: Kind, second: Kind) -> Kind:
    """What a value is that comes from either of two branches."""
    if first is second:
        return first
    return Kind.PRESUMED if is_tensor(first) and is_tensor(second) else Kind.OTHER


def computed_from(kinds: Iterable[Kind]) -> Kind:
    """What an arithmetic expression of such operands gives."""
    operands = set(kinds)
    if Kind.TENSOR in operands:
        return Kind.TENSOR
    return Kind.PRESUMED if Kind.PRESUMED in operands else Kind.OTHER


def element_of(kind: Kind) -> Kind:
    """What a loop over such a value gives each time."""
    if kind is Kind.TENSORS:
        return Kind.TENSOR
    return Kind.PRESUMED if kind is Kind.DATASET else kind


def result_of(name: str) -> Kind:
    """What calling a library's function gives.

    Args:
        name: its dotted name, as `Source.meaning` writes it.
    """
    space, _, leaf = name.rpartition(".")
    if leaf.endswith(("Dataset", "dataset_from_directory")) or space.startswith("tensorflow.data."):
        return Kind.DATASET
    if space == "tensorflow":
        is_tensor_operation = leaf in _OPERATIONS or leaf.startswith("reduce_")
    elif space == "keras.ops":
        is_tensor_operation = leaf in _KERAS_OPERATIONS
    else:
        is_tensor_operation = space in _SPACES and leaf[:1].islower() and leaf not in _NO_TENSOR
    if leaf in _SEVERAL and space in (*_SPACES, "tensorflow"):
        return Kind.TENSORS
    return Kind.TENSOR if is_tensor_operation else Kind.OTHER


_SPACES = tuple(
    f"tensorflow.{space}"
    for space in ("math", "nn", "image", "strings", "random", "linalg", "signal", "bitwise")
)

_SHARED_OPERATIONS = words(
    "abs add argmax argmin argsort broadcast_to cast cos cosh cumsum einsum equal exp "
    "expand_dims eye floor greater greater_equal identity less less_equal linspace "
    "logical_and logical_not logical_or matmul maximum minimum multiply norm not_equal "
    "one_hot ones ones_like pad repeat reshape reverse round sigmoid sign sin sinh slice sort "
    "sqrt square squeeze stack stop_gradient subtract tan tanh tensordot tile transpose where "
    "zeros zeros_like"
)

_OPERATIONS = _SHARED_OPERATIONS | words(
    "acos add_n asin atan boolean_mask clip_by_norm clip_by_value concat constant "
    "convert_to_tensor ensure_shape fill gather gather_nd pow range rank roll scalar_mul "
    "scatter_nd searchsorted sequence_mask shape size tensor_scatter_nd_add "
    "tensor_scatter_nd_update timestamp truediv"
)

_KERAS_OPERATIONS = _SHARED_OPERATIONS | words(
    "all any clip concatenate divide log max mean min power prod relu softmax std sum take "
    "take_along_axis var"
)

_SEVERAL = words(
    "all_candidate_sampler approx_max_k approx_min_k collapse_repeated "
    "combined_non_max_suppression compute_accidental_hits ctc_unique_labels eig eigh "
    "eigh_tridiagonal fixed_unigram_candidate_sampler fractional_avg_pool fractional_max_pool "
    "generate_bounding_box_proposals image_gradients isotonic_regression "
    "learned_unigram_candidate_sampler log_uniform_candidate_sampler lu max_pool_with_argmax "
    "meshgrid moments non_max_suppression_padded non_max_suppression_with_scores normalize "
    "normalize_moments qr sample_distorted_bounding_box slogdet split "
    "stateless_sample_distorted_bounding_box sufficient_statistics svd top_k "
    "unicode_decode_with_offsets unicode_split_with_offsets uniform_candidate_sampler unique "
    "unique_with_counts unstack weighted_moments"
)

_NO_TENSOR = words(
    "create_rng_state ctc_beam_search_decoder ctc_greedy_decoder get_global_generator "
    "inverse_stft_window_fn set_global_generator set_seed"
)
