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
    if not leaf[:1].islower() or name in _NO_TENSOR:
        return Kind.OTHER
    if leaf in _SEVERAL:
        return Kind.TENSORS
    if space == "tensorflow":
        return Kind.TENSOR if leaf in _TOP_LEVEL or leaf.startswith("reduce_") else Kind.OTHER
    return Kind.TENSOR if space in _SPACES else Kind.OTHER


_SPACES = frozenset(
    {
        "tensorflow.math",
        "tensorflow.nn",
        "tensorflow.image",
        "tensorflow.strings",
        "tensorflow.random",
        "tensorflow.linalg",
        "tensorflow.signal",
        "tensorflow.bitwise",
        "keras.ops",
        "keras.random",
    }
)

_TOP_LEVEL = words(
    "abs acos add add_n argmax argmin argsort asin atan boolean_mask broadcast_to cast "
    "clip_by_norm clip_by_value concat constant convert_to_tensor cos cosh cumsum einsum "
    "ensure_shape equal exp expand_dims eye fill floor gather gather_nd greater greater_equal "
    "identity less less_equal linspace logical_and logical_not logical_or matmul maximum "
    "minimum multiply norm not_equal one_hot ones ones_like pad pow range rank repeat reshape "
    "reverse roll round scalar_mul scatter_nd searchsorted sequence_mask shape sigmoid sign "
    "sin sinh size slice sort sqrt square squeeze stack stop_gradient subtract tan tanh "
    "tensor_scatter_nd_add tensor_scatter_nd_update tensordot tile timestamp transpose "
    "truediv where zeros zeros_like"
)

_SEVERAL = words(
    "unstack split meshgrid moments weighted_moments top_k svd qr eigh eig lu slogdet unique "
    "unique_with_counts clip_by_global_norm"
)

_NO_TENSOR = frozenset(
    {
        "tensorflow.random.set_seed",
        "tensorflow.random.get_global_generator",
        "tensorflow.random.set_global_generator",
        "tensorflow.random.create_rng_state",
        "keras.ops.shape",
        "keras.ops.cond",
        "keras.ops.while_loop",
        "keras.ops.fori_loop",
        "keras.ops.scan",
        "keras.ops.map",
        "keras.ops.associative_scan",
        "keras.ops.vectorized_map",
        "keras.ops.switch",
        "keras.ops.is_tensor",
        "keras.ops.dtype",
        "keras.ops.ndim",
        "keras.ops.size",
        "keras.ops.convert_to_numpy",
        "keras.ops.lu_factor",
        "keras.ops.nonzero",
        "keras.ops.custom_gradient",
        "keras.ops.lstsq",
        "tensorflow.nn.ctc_greedy_decoder",
        "tensorflow.nn.ctc_beam_search_decoder",
    }
)
