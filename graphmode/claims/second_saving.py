"""Claims 61, 62, 69 and 71: what is in a SavedModel, and whether it can be served."""

import contextlib
import io
import logging
import re
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from tensorflow.core.framework.graph_pb2 import GraphDef
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

from graphmode.claims.claim import Finding, Verdict, claim
from graphmode.claims.observing import brief, error_of, operations
from graphmode.claims.subject import IMAGE_SIZE, small_resnet

_IMAGE = tf.TensorSpec([None, IMAGE_SIZE, IMAGE_SIZE, 3], tf.float32, name="image")
_FEATURES = tf.TensorSpec([None, 4], tf.float32, name="features")


@claim(
    number=61,
    section="5.1",
    text="`tf.saved_model.save(func, folder)` saves a `tf.function`.",
    expected=Verdict.WRONG,
    right_way=(
        "Hang it on a module, and name the signature:\n"
        "```python\n"
        "module = tf.Module()\n"
        "module.serve = func\n"
        'tf.saved_model.save(module, folder, {"serving_default": func})\n'
        "```"
    ),
)
def _save_a_function() -> Finding:
    double = tf.function(lambda features: features * 2, input_signature=[_FEATURES])
    module = tf.Module()
    module.serve = double
    with tempfile.TemporaryDirectory() as folder:
        bare_error = error_of(lambda: tf.saved_model.save(double, f"{folder}/bare"))
        hung_error = error_of(
            lambda: tf.saved_model.save(module, f"{folder}/hung", {"serving_default": double})
        )
    return Finding(
        verdict=Verdict.HOLDS if bare_error is None else Verdict.WRONG,
        happens=f"`{brief(bare_error)}`. On a module, with a signature: {brief(hung_error)}.",
    )


@claim(
    number=62,
    section="5.1",
    text=(
        "Netron shows in a SavedModel the input `serving_default_x`, `If` and `While`, and a fused "
        "batch norm."
    ),
    expected=Verdict.PART,
    right_way=(
        "The file holds the graph as traced, its body a function behind `StatefulPartitionedCall`. "
        "What is fused is decided where it runs: `python -m graphmode graph` shows it before and "
        "after."
    ),
)
def _what_netron_would_show() -> Finding:
    model = small_resnet()

    @tf.function(input_signature=[_IMAGE])
    def serve(image: tf.Tensor) -> tf.Tensor:
        logits = model(image)
        if tf.reduce_max(logits) > 0:  # noqa: SIM108 -- a statement for AutoGraph
            scaled = logits * 2
        else:
            scaled = logits
        return scaled

    graph = _saved_graph(serve, model)
    inputs = [node.name for node in graph.node if node.name.startswith("serving_default_")]
    outside, everywhere = Counter(node.op for node in graph.node), operations(graph)
    branches = [op for op in ("If", "StatelessIf") if everywhere[op]]
    fused = sum(count for op, count in everywhere.items() if "Fused" in op)
    shown = bool(inputs and branches)
    return Finding(
        verdict=(Verdict.HOLDS if fused else Verdict.PART) if shown else Verdict.WRONG,
        happens=(
            f"The inputs are {inputs}; the graph that opens first has "
            f"{outside['StatefulPartitionedCall']} `StatefulPartitionedCall` and "
            f"{outside['Conv2D']} convolutions; the library behind it has "
            f"{everywhere['Conv2D']} convolutions and {branches}. Fused operations: {fused}."
        ),
    )


@claim(
    number=69,
    section="6.3",
    text="A SavedModel is a frozen graph with the optimisations in it.",
    expected=Verdict.WRONG,
    right_way=(
        "Its weights are variables and its graph is as traced; grappler works after the load, at "
        "the first call. Ship warm-up requests. Freezing "
        "(`convert_variables_to_constants_v2`) is a choice of its own, and costs memory."
    ),
)
def _is_a_saved_model_frozen() -> Finding:
    model = small_resnet()
    serve = tf.function(model, input_signature=[_IMAGE])
    saved = operations(_saved_graph(serve, model))
    frozen = operations(
        convert_variables_to_constants_v2(serve.get_concrete_function()).graph.as_graph_def()
    )
    return Finding(
        verdict=Verdict.WRONG if saved["VarHandleOp"] else Verdict.HOLDS,
        happens=(
            f"A small residual network's SavedModel has {saved['VarHandleOp']} `VarHandleOp` and "
            f"{saved['ReadVariableOp']} `ReadVariableOp`, frozen by hand {frozen['VarHandleOp']} "
            f"and {frozen['ReadVariableOp']}. Fused operations in the SavedModel: "
            f"{sum(count for op, count in saved.items() if 'Fused' in op)}."
        ),
    )


@claim(
    number=71,
    section="6.3",
    text=(
        "`load_model('model.h5')` and `tf.saved_model.save` in CI stop a model that cannot be "
        "deployed."
    ),
    expected=Verdict.WRONG,
    right_way=(
        "Export with explicit endpoints (`keras.export.ExportArchive`), then run each signature in "
        "a session, as a server does, and compare with the eager model:\n"
        "```python\n"
        "with tf.Graph().as_default(), tf.compat.v1.Session() as session:\n"
        '    tf.compat.v1.saved_model.load(session, ["serve"], folder)\n'
        "```"
    ),
)
def _the_check_in_ci() -> Finding:
    dense = _network(keras.layers.Dense(2))
    outcomes = {
        "a plain network": _checked(lambda: dense),
        "one that draws with `np.random`": _checked(lambda: _network(_Drawing())),
        "one whose `call` cannot be traced": _checked(_Untraceable),
    }
    exported_error = _session_error_of_export(dense)
    missed = [name for name, (check, session) in outcomes.items() if check is None and session]
    told = "; ".join(
        f"{name}: {brief(check)} at the save, {f'`{session}`' if session else 'no error'} in a "
        "session"
        for name, (check, session) in outcomes.items()
    )
    return Finding(
        verdict=Verdict.WRONG if missed else Verdict.HOLDS,
        happens=(
            f"An h5 file compiled with `loss='mse'`: `{brief(error_of(_load_compiled_h5))}`. "
            f"Models saved so, {told}. By `ExportArchive` the plain network gives "
            f"{exported_error or 'no error'}."
        ),
    )


class _Drawing(keras.layers.Layer):
    """Adds what Python draws: one number, that of the trace."""

    def call(self, x: tf.Tensor) -> tf.Tensor:
        return x + np.random.default_rng().random()


class _Untraceable(keras.Model):
    """Decides by a tensor, where AutoGraph is off."""

    def call(self, x: tf.Tensor) -> tf.Tensor:
        if tf.reduce_sum(x) > 0:
            return x
        return -x


def _network(last: keras.layers.Layer) -> keras.Model:
    features = keras.Input((4,), name="features")
    return keras.Model(features, last(keras.layers.Dense(4)(features)))


def _saved_graph(serve: Callable[..., tf.Tensor], model: keras.Model) -> GraphDef:
    """Save a function of a model, and give the graph that the file holds."""
    module = tf.Module()
    module.variables_of_model = [weight.value for weight in model.weights]
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder, {"serving_default": serve})
        file = SavedModel.FromString((Path(folder) / "saved_model.pb").read_bytes())
    return file.meta_graphs[0].graph_def


def _checked(make: Callable[[], keras.Model]) -> tuple[Exception | None, str]:
    """Save a model as CI would; the error there, and what a session then says, "" for nothing."""
    with tempfile.TemporaryDirectory() as folder:
        model = make()
        model(tf.zeros([1, 4])) if model.built else None
        check = error_of(lambda: tf.saved_model.save(model, folder))
        return check, _session_error(folder) if check is None else ""


def _session_error_of_export(model: keras.Model) -> str:
    with tempfile.TemporaryDirectory() as folder:
        archive = keras.export.ExportArchive()
        archive.add_endpoint("serving_default", model.call, [_FEATURES])
        with contextlib.redirect_stdout(io.StringIO()):
            archive.write_out(folder)
        return _session_error(folder)


def _session_error(folder: str) -> str:
    """Run the default signature in a session; what went wrong, "" for nothing."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        loaded = tf.compat.v1.saved_model.load(session, ["serve"], folder)
        if "serving_default" not in loaded.signature_def:
            return f"no signature serving_default, but {sorted(loaded.signature_def)}"
        signature = loaded.signature_def["serving_default"]
        (given,) = signature.inputs.values()
        wanted = [output.name for output in signature.outputs.values()]
        error = error_of(lambda: session.run(wanted, {given.name: np.zeros([1, 4], np.float32)}))
    told = re.search(r"Could not find variable", str(error))
    return told[0] if told else brief(error) if error else ""


def _load_compiled_h5() -> None:
    model = _network(keras.layers.Dense(2))
    model.compile(loss="mse")
    with tempfile.TemporaryDirectory() as folder:
        kept = logging.root.manager.disable
        logging.disable(logging.WARNING)  # Keras calls the format legacy, which is no news here.
        try:
            model.save(f"{folder}/model.h5")
        finally:
            logging.disable(kept)
        keras.models.load_model(f"{folder}/model.h5")
