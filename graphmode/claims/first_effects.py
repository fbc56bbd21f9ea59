"""Claims 23, 24, 32 and 34 to 36: print, raise and tensor checks in a graph."""

import contextlib
import io
import tempfile
from collections.abc import Callable
from pathlib import Path

import tensorflow as tf

from graphmode.claims.child import in_child
from graphmode.claims.claim import Finding, Verdict, claim
from graphmode.claims.observing import brief, error_of

_ROUNDS = 10
_LINES = 20


@claim(
    number=23,
    section="3.1",
    text="`print` does not work in a graph; `tf.print` does.",
    expected=Verdict.PART,
    right_way=(
        "`tf.print` in a plain graph. With `jit_compile=True` it does not compile: return what "
        "you want to see, and print it outside."
    ),
)
def _tf_print_works() -> Finding:
    plain = _lines_of(lambda printing: _call_twice(tf.function(printing)))
    compiled_error = error_of(
        lambda: _lines_of(lambda printing: _call_twice(tf.function(printing, jit_compile=True)))
    )
    works = (len(plain) == 2, compiled_error is None)
    verdicts = {(True, True): Verdict.HOLDS, (True, False): Verdict.PART}
    return Finding(
        verdict=verdicts.get(works, Verdict.WRONG),
        happens=(
            f"Two calls: `tf.print` writes {plain}. With `jit_compile=True`: "
            f"`{brief(compiled_error)}`."
        ),
    )


@claim(
    number=24,
    section="3.1",
    text="Python exceptions cannot be used in a graph.",
    expected=Verdict.HOLDS,
    right_way=(
        "Worse: the `raise` under a tensor `if` happens at the trace, for good input too. Use "
        "`tf.debugging.assert_*`, or check before the call."
    ),
)
def _exceptions_in_a_graph() -> Finding:
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def root(x: tf.Tensor) -> tf.Tensor:
        if x < 0:
            raise ValueError("negative")
        return tf.sqrt(x)

    error = error_of(lambda: root(tf.constant(4.0)))
    return Finding(
        verdict=Verdict.HOLDS if error is not None else Verdict.WRONG,
        happens=f"`if x < 0: raise`, called with 4, which is good: `{brief(error)}`.",
    )


@claim(
    number=32,
    section="3.2",
    text="`print` in a `tf.function` writes at the trace only.",
    expected=Verdict.HOLDS,
    right_way="Use it to see traces, and `tf.print` to see values.",
)
def _print_at_the_trace() -> Finding:
    @tf.function
    def told(x: tf.Tensor) -> tf.Tensor:
        print("tracing")
        return x + 1

    calls = (1, 1, 1, 2)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        for size in calls:
            told(tf.zeros([size]))
    lines = out.getvalue().count("tracing")
    traces = told.experimental_get_tracing_count()
    return Finding(
        verdict=Verdict.HOLDS if lines == traces < len(calls) else Verdict.WRONG,
        happens=f"{len(calls)} calls, {traces} traces: {lines} lines.",
    )


@claim(
    number=34,
    section="3.2",
    text="`tf.debugging.assert_*` checks at every call.",
    expected=Verdict.PART,
    right_way=(
        "In a plain graph. `jit_compile=True` drops the checks without a word, and so does saving "
        "with `experimental_debug_stripper`: check outside. What is known at the trace already is "
        "checked there, once."
    ),
)
def _assertions_check_every_call() -> Finding:
    def checked(x: tf.Tensor) -> tf.Tensor:
        tf.debugging.assert_positive(x)
        return tf.sqrt(x)

    def error_at_a_bad_call(function: Callable[[tf.Tensor], tf.Tensor]) -> Exception | None:
        function(tf.constant([4.0]))
        return error_of(lambda: function(tf.constant([-4.0])))

    plain = error_at_a_bad_call(tf.function(checked))
    compiled = error_at_a_bad_call(tf.function(checked, jit_compile=True))
    stripped = error_at_a_bad_call(_saved_without_checks(checked))
    static = error_of(tf.function(lambda: tf.debugging.assert_rank(tf.zeros([2, 2]), 1)))
    is_checked = (plain is not None, compiled is not None)
    verdicts = {(True, True): Verdict.HOLDS, (True, False): Verdict.PART}
    return Finding(
        verdict=verdicts.get(is_checked, Verdict.WRONG),
        happens=(
            f"A good call, then a bad one: {_kind(plain)} in a plain graph, {_kind(compiled)} with "
            f"`jit_compile=True`, {_kind(stripped)} in a SavedModel written with "
            f"`experimental_debug_stripper`. A wrong rank, known at the trace: {_kind(static)}."
        ),
    )


@claim(
    number=35,
    section="3.2",
    text="The order of what several `tf.print` write is not guaranteed.",
    expected=Verdict.PART,
    right_way=(
        "In one function they write in the order of the program. With Python's `print` they "
        "are not in step: the two go to different streams unless you say "
        "`tf.print(..., output_stream=sys.stdout)`."
    ),
)
def _order_of_prints() -> Finding:
    ended = in_child(_print_in_turn)
    printed = [line for line in ended.stderr.splitlines() if line.startswith("graph ")]
    in_order = [f"graph {line}" for _ in range(_ROUNDS) for line in range(_LINES)]
    apart = "graph" not in ended.stdout and ended.stdout.count("python") == _ROUNDS
    held = Verdict.PART if apart else Verdict.WRONG
    return Finding(
        verdict=held if printed == in_order else Verdict.HOLDS,
        happens=(
            f"{_ROUNDS} calls of {_LINES} `tf.print`: {len(printed)} lines, "
            f"{'in' if printed == in_order else 'out of'} the order of the program. Python's "
            f"`print` between the calls went to {'another stream' if apart else 'the same one'}."
        ),
    )


@claim(
    number=36,
    section="3.2",
    text='`tf.print(..., output_stream="file:///...")` writes into a file.',
    expected=Verdict.HOLDS,
    right_way="As claimed; it adds to the file, call by call.",
)
def _print_into_a_file() -> Finding:
    lines = _lines_of(lambda printing: _call_twice(tf.function(printing)))
    return Finding(
        verdict=Verdict.HOLDS if lines == ["value 1", "value 2"] else Verdict.WRONG,
        happens=f"Two calls leave {lines} in the file.",
    )


def _saved_without_checks(
    function: Callable[[tf.Tensor], tf.Tensor],
) -> Callable[[tf.Tensor], tf.Tensor]:
    module = tf.Module()
    module.checked = tf.function(function, input_signature=[tf.TensorSpec([None], tf.float32)])
    options = tf.saved_model.SaveOptions(experimental_debug_stripper=True)
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder, {"serving_default": module.checked}, options)
        return tf.saved_model.load(folder).checked


def _lines_of(use: Callable[[Callable[[tf.Tensor], tf.Tensor]], object]) -> list[str]:
    """Give what a function wrote that prints into a file, as `use` called it."""
    with tempfile.TemporaryDirectory() as folder:
        printed = Path(folder) / "printed.txt"
        printed.touch()

        def printing(x: tf.Tensor) -> tf.Tensor:
            tf.print("value", x, output_stream=f"file://{printed}")
            return x + 1

        use(printing)
        return printed.read_text("utf-8").splitlines()


def _call_twice(function: Callable[[tf.Tensor], tf.Tensor]) -> None:
    for value in (1, 2):
        function(tf.constant(value))


@tf.function(input_signature=[])
def _twenty_lines() -> None:
    """Print `graph 0` to `graph 19`; input_signature: nothing; one trace."""
    for line in range(_LINES):
        tf.print("graph", line)


def _print_in_turn() -> None:
    for _ in range(_ROUNDS):
        print("python")
        _twenty_lines()


def _kind(error: Exception | None) -> str:
    return "no error" if error is None else f"`{type(error).__name__}`"
