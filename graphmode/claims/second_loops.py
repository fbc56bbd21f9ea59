"""Claims 51, 55, 58 and 59: lists, loops over tensors, `and`, and AutoGraph switched off."""

import traceback
from collections.abc import Callable
from functools import partial

import tensorflow as tf

from graphmode.claims.claim import Finding, Verdict, claim
from graphmode.claims.observing import brief, error_of, operations

_ROWS = tf.TensorSpec([3], tf.float32)


@claim(
    number=51,
    section="4.1",
    text="`list.append` on tensors raises `ValueError`: a graph cannot be inferred from a list.",
    expected=Verdict.WRONG,
    right_way=(
        "Worse: it may go through and be wrong. In a loop or branch over tensors use a "
        "`tf.TensorArray`:\n"
        "```python\n"
        "rows = tf.TensorArray(tf.float32, size=3)\n"
        "for turn in tf.range(3):\n"
        "    rows = rows.write(turn, x)\n"
        "return rows.stack()\n"
        "```"
    ),
)
def _append_to_a_list() -> Finding:
    x = tf.constant(2.0)
    made_inside_error = error_of(lambda: tf.function(_append_what_is_made)(x))
    in_loop = _error_or_value(lambda: tf.function(_append_what_is_given)(x))
    under_false = _error_or_value(lambda: tf.function(_append_under_if)(tf.constant(-2.0)))
    in_array = _error_or_value(lambda: tf.function(_write_to_an_array)(x))
    is_claimed = "Cannot infer the graph from a list" in str(made_inside_error)
    return Finding(
        verdict=Verdict.HOLDS if is_claimed else Verdict.WRONG,
        happens=(
            f"Three turns that append what the turn makes: `{brief(made_inside_error)}`. Three "
            f"turns that append 2, which is from outside: {in_loop}. An append under a condition "
            f"that is false: {under_false}, where [1.0] is right. Three turns with a "
            f"`tf.TensorArray`: {in_array}."
        ),
    )


@claim(
    number=55,
    section="5",
    text="`for i in x` fails in a graph: a tensor is not iterable.",
    expected=Verdict.WRONG,
    right_way=(
        "AutoGraph makes a loop of the statement. What it does not convert is a comprehension, "
        "`enumerate`, `zip` with unpacking and the like: loop over `tf.range`, or use `tf.map_fn` "
        "or an operation on the whole tensor."
    ),
)
def _loop_over_a_tensor() -> Finding:
    x = tf.constant([1.0, 2.0, 3.0])
    by_statement = tf.function(_sum_by_statement, input_signature=[_ROWS])
    total = _error_or_value(lambda: by_statement(x))
    error_without = error_of(lambda: tf.function(_sum_by_statement, autograph=False)(x))
    failing = {
        name: error_of(partial(tf.function(function), x))
        for name, function in {
            "a comprehension": lambda x: tf.add_n([number * 2 for number in x]),
            "`enumerate`": _sum_by_enumerate,
            "`zip`": _sum_by_zip,
            "`map`": lambda x: tf.add_n(list(map(tf.exp, x))),
            "unpacking": _unpacked,
            "`all`": lambda x: tf.constant(all(x > 0)),
        }.items()
    }
    graph = by_statement.get_concrete_function().graph.as_graph_def()
    loops = [op for op in operations(graph) if op in ("While", "StatelessWhile")]
    works = [name for name, error in failing.items() if error is None]
    fails = [name for name, error in failing.items() if error is not None]
    return Finding(
        verdict=Verdict.WRONG if total == 6.0 and loops else Verdict.HOLDS,
        happens=(
            f"`for i in x: total += i` over [1, 2, 3] gives {total}, by {loops}. Of other ways to "
            f"go through a tensor, these fail: {', '.join(fails) or 'none'}; these work: "
            f"{', '.join(works) or 'none'}. With `autograph=False` the statement: "
            f"`{brief(error_without)}`."
        ),
    )


@claim(
    number=58,
    section="5",
    text="`x > 0 and y < 10` fails in a graph.",
    expected=Verdict.WRONG,
    right_way=(
        "For scalars AutoGraph converts `and`, `or`, `not`, chains and the ternary. For vectors "
        "write `(x > 0) & (y < 10)` or `tf.logical_and`."
    ),
)
def _and_on_tensors() -> Finding:
    five = tf.constant(5.0)
    kinds: dict[str, Callable[[tf.Tensor, tf.Tensor], tf.Tensor]] = {
        "`and`": lambda x, y: tf.identity(x > 0 and y < 10),
        "`not`": lambda x, y: tf.identity(not x > y),
        "a chain": lambda x, _: tf.identity(0 < x < 10),
        "the ternary": lambda x, y: x > 0 if y > 0 else x > 10,
    }
    values = {
        name: _error_or_value(partial(tf.function(kind), five, five))
        for name, kind in kinds.items()
    }
    vector, both = tf.constant([5.0, 5.0]), kinds["`and`"]
    vector_error = error_of(lambda: tf.function(both)(vector, vector))
    bare_error = error_of(lambda: tf.function(both, autograph=False)(five, five))
    told = ", ".join(f"{name}: {value}" for name, value in values.items())
    return Finding(
        verdict=Verdict.WRONG if values["`and`"] is True else Verdict.HOLDS,
        happens=(
            f"For scalars of 5: {told}. For vectors: `{type(vector_error).__name__}`. With "
            f"`autograph=False`: `{brief(bare_error)}`."
        ),
    )


@claim(
    number=59,
    section="5.1",
    text="`autograph=False` shows the line that is the problem.",
    expected=Verdict.HOLDS,
    right_way=(
        "It shows each line that needs AutoGraph, good ones too: it finds dependence, not bugs."
    ),
)
def _the_line_without_autograph() -> Finding:
    x = tf.constant([1.0, 2.0, 3.0])
    error = error_of(lambda: tf.function(_sum_by_statement, autograph=False)(x))
    frames = traceback.extract_tb(error.__traceback__ if error else None)
    own = [frame.line for frame in frames if frame.name == _sum_by_statement.__name__]
    value = _error_or_value(lambda: tf.function(_sum_by_statement)(x))
    return Finding(
        verdict=Verdict.HOLDS if own == ["for number in x:"] else Verdict.WRONG,
        happens=(
            f"`{brief(error)}`, at the line `{own[-1] if own else 'of no own frame'}`. The same "
            f"function works with AutoGraph: {value}."
        ),
    )


def _error_or_value(call: Callable[[], tf.Tensor]) -> object:
    """Call, and give the value as Python, or what the error says between backticks."""
    values: list[object] = []
    error = error_of(lambda: values.append(call().numpy().tolist()))
    return values[0] if values else f"`{brief(error)}`"


def _append_what_is_made(x: tf.Tensor) -> tf.Tensor:
    rows: list[tf.Tensor] = []
    for _ in tf.range(3):
        rows.append(x * 2)  # noqa: PERF401 -- the append is the case
    return tf.stack(rows)


def _append_what_is_given(x: tf.Tensor) -> tf.Tensor:
    rows: list[tf.Tensor] = []
    for _ in tf.range(3):
        rows.append(x)  # noqa: PERF401 -- the append is the case
    return tf.stack(rows)


def _append_under_if(x: tf.Tensor) -> tf.Tensor:
    one = tf.constant(1.0)
    rows = [one]
    if x > 0:
        rows.append(x)
    return tf.stack(rows)


def _write_to_an_array(x: tf.Tensor) -> tf.Tensor:
    rows = tf.TensorArray(tf.float32, size=3)
    for turn in tf.range(3):
        rows = rows.write(turn, x)
    return rows.stack()


def _sum_by_statement(x: tf.Tensor) -> tf.Tensor:
    total = tf.constant(0.0)
    for number in x:
        total += number
    return total


def _sum_by_enumerate(x: tf.Tensor) -> tf.Tensor:
    total = tf.constant(0.0)
    for _, number in enumerate(x):
        total += number
    return total


def _sum_by_zip(x: tf.Tensor) -> tf.Tensor:
    total = tf.constant(0.0)
    for left, right in zip(x, x, strict=True):
        total += left * right
    return total


def _unpacked(x: tf.Tensor) -> tf.Tensor:
    first, second, _ = x
    return first + second
