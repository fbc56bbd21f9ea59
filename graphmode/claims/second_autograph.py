"""Claims 48 to 50, 52, 53 and 72: what AutoGraph makes of a function."""

import re
from functools import partial

import keras
import tensorflow as tf
from tensorflow.python.autograph import operators

from graphmode.claims.claim import Finding, Verdict, claim
from graphmode.claims.observing import brief, count_of, error_of, operations

_NUMBER = tf.TensorSpec([], tf.float32)


@claim(
    number=48,
    section="4",
    text="`tf.autograph.to_code(func.python_function)` shows what AutoGraph made.",
    expected=Verdict.HOLDS,
    right_way=(
        "As claimed; the decorated function itself is refused. Of a method, take the class's: "
        "`Trainer.step.python_function`. `python -m graphmode view` shows it beside the source."
    ),
)
def _code_of_the_python_function() -> Finding:
    decorated = tf.function(_larger)
    error = error_of(lambda: tf.autograph.to_code(decorated))
    code = tf.autograph.to_code(decorated.python_function)
    converted = code.count("ag__.if_stmt")
    return Finding(
        verdict=Verdict.HOLDS if converted else Verdict.WRONG,
        happens=(
            f"Of `func.python_function`: {count_of(len(code.splitlines()), 'line')} with "
            f"{converted} `ag__.if_stmt`. Of `func`: `{brief(error)}`."
        ),
    )


@claim(
    number=49,
    section="4.2",
    text="In AutoGraph's code an assignment is `ag__.st(x, v)`, and `ag__.ld(x)` evaluates late.",
    expected=Verdict.WRONG,
    right_way=(
        "An assignment stays an assignment. `ag__.ld(x)` reads a variable at once, and raises if "
        "it has no value yet."
    ),
)
def _assignments_in_the_code() -> Finding:
    code = tf.autograph.to_code(_larger)
    stores, loads = code.count("ag__.st("), code.count("ag__.ld(")
    plain = len(re.findall(r"^ +y = .*ag__\.ld\(", code, re.MULTILINE))
    exists = {name: hasattr(operators, name) for name in ("st", "ld")}
    return Finding(
        verdict=Verdict.HOLDS if stores and exists["st"] else Verdict.WRONG,
        happens=(
            f"A function with two assignments: {stores} `ag__.st(`, {loads} `ag__.ld(`, "
            f"{plain} plain `y = ...`. AutoGraph has "
            f"{' and '.join(f'`{name}`' for name, is_there in exists.items() if is_there)} of "
            "these two operators."
        ),
    )


@claim(
    number=50,
    section="4",
    text="`ag__.Undefined` in AutoGraph's code shows a variable that is not defined.",
    expected=Verdict.WRONG,
    right_way=(
        "It stands before each `if` and loop that makes a variable, in good code too. Trust the "
        "error of the trace, which names the variable and the branch that lacks it."
    ),
)
def _undefined_in_the_code() -> Finding:
    healthy, broken = (
        tf.autograph.to_code(function).count("ag__.Undefined(")
        for function in (_sum_of_larger, _only_in_one_branch)
    )
    total = float(tf.function(_sum_of_larger)(tf.constant([1.0, -2.0])))
    error = error_of(lambda: tf.function(_only_in_one_branch)(tf.constant(1.0)))
    return Finding(
        verdict=Verdict.HOLDS if broken and not healthy else Verdict.WRONG,
        happens=(
            f"A function that works (it gives {total:g}) has {healthy} `ag__.Undefined`; one whose "
            f"variable is made in one branch only has {broken}, and raises: `{brief(error)}`."
        ),
    )


@claim(
    number=52,
    section="4.3",
    text="An `if` on a tensor becomes `tf.cond`.",
    expected=Verdict.HOLDS,
    right_way="As claimed: both branches are in the graph, and one of them runs.",
)
def _if_becomes_cond() -> Finding:
    larger = tf.function(_larger, input_signature=[_NUMBER])
    counts = operations(larger.get_concrete_function().graph.as_graph_def())
    branches = {op: counts[op] for op in ("If", "StatelessIf") if counts[op]}
    values = [float(larger(tf.constant(value))) for value in (1.0, -1.0)]
    return Finding(
        verdict=Verdict.HOLDS if branches and values == [2.0, 1.0] else Verdict.WRONG,
        happens=(
            f"In the graph: {branches or 'no branch'}; 1 and -1 give {values} from "
            f"{count_of(larger.experimental_get_tracing_count(), 'trace')}."
        ),
    )


@claim(
    number=53,
    section="4.3",
    text="The condition of an `if` must be a tensor of bool.",
    expected=Verdict.WRONG,
    right_way=(
        "AutoGraph looks at what the condition is at the trace: a Python value stays a Python "
        "`if`, a scalar tensor of bool becomes a branch. Of a vector make one by `tf.reduce_all` "
        "or `tf.reduce_any`, or take `tf.where`."
    ),
)
def _conditions_of_an_if() -> Finding:
    @tf.function
    def chosen(condition: object) -> tf.Tensor:
        if condition:
            return tf.constant(1)
        return tf.constant(0)

    values = {
        name: error_of(partial(chosen, given))
        for name, given in {
            "a Python bool": True,
            "a Python list": [1],
            "a bool tensor": tf.constant(value=True),
            "an int tensor": tf.constant(1),
            "a vector": tf.constant([True, False]),
        }.items()
    }
    told = "; ".join(
        f"{name}: {'works' if error is None else f'`{brief(error)}`'}"
        for name, error in values.items()
    )
    takes_python = values["a Python bool"] is None and values["a Python list"] is None
    return Finding(
        verdict=Verdict.WRONG if takes_python else Verdict.HOLDS,
        happens=f"As conditions, {told}.",
    )


@claim(
    number=72,
    section="1",
    text="Write `if` and `for` as you like; AutoGraph translates them.",
    expected=Verdict.PART,
    right_way=(
        "In functions, methods of a `tf.Module` and what `Dataset.map` calls. In a Keras 3 layer "
        "or model AutoGraph is off: decorate `call`, or use `keras.ops.cond`:\n"
        "```python\n"
        "class Larger(keras.layers.Layer):\n"
        "    @tf.function\n"
        "    def call(self, x): ...\n"
        "```"
    ),
)
def _if_and_for_anywhere() -> Finding:
    class Module(tf.Module):
        @tf.function
        def call(self, x: tf.Tensor) -> tf.Tensor:
            return _larger(x)

    class Bare(keras.layers.Layer):
        def call(self, x: tf.Tensor) -> tf.Tensor:
            return _larger(x)

    class Decorated(keras.layers.Layer):
        @tf.function
        def call(self, x: tf.Tensor) -> tf.Tensor:
            return _larger(x)

    one, numbers = tf.constant(1.0), tf.data.Dataset.from_tensors(1.0)
    converted = {
        "a function": error_of(lambda: tf.function(_larger)(one)),
        "a method of a `tf.Module`": error_of(lambda: Module().call(one)),
        "`Dataset.map`": error_of(lambda: list(numbers.map(_larger))),
        "a decorated `call`": error_of(lambda: tf.function(Decorated())(one)),
    }
    keras_error = error_of(lambda: tf.function(Bare())(one))
    works = [place for place, error in converted.items() if error is None]
    verdicts = {(True, True): Verdict.HOLDS, (True, False): Verdict.PART}
    return Finding(
        verdict=verdicts.get((len(works) == len(converted), keras_error is None), Verdict.WRONG),
        happens=(
            f"An `if` on a tensor works in {', '.join(works)}. In the `call` of a Keras "
            f"{keras.__version__} layer it gives "
            f"{'no error' if keras_error is None else f'`{type(keras_error).__name__}`'}."
        ),
    )


def _larger(x: tf.Tensor) -> tf.Tensor:
    if x > 0:  # noqa: SIM108 -- the statement is what AutoGraph is to convert
        y = x + 1
    else:
        y = -x
    return y


def _sum_of_larger(x: tf.Tensor) -> tf.Tensor:
    total = tf.constant(0.0)
    for number in x:
        if number > 0:  # noqa: SIM108 -- the statement is what AutoGraph is to convert
            share = number
        else:
            share = number * 0
        total += share
    return total


def _only_in_one_branch(x: tf.Tensor) -> tf.Tensor:
    if x > 0:
        y = x + 1
    return y
