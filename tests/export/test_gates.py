"""Sabotage: each gate is shown a model that it must refuse."""

from dataclasses import replace

import numpy as np
import pytest
import tensorflow as tf

from export.folding import FoldedNetwork
from export.forms import form_of
from export.gates.agreement_gates import agreement_gates
from export.gates.crash_gate import crash_gate
from export.gates.gate import Candidate
from export.gates.graph_gates import graph_gates
from export.gates.judging import judge
from export.gates.session_gates import session_gates
from export.gates.trace_gates import trace_gates
from export.photo_references import PhotoReferences, make_references
from export.photos import read_photos
from export.probe import make_probe
from export.saved_model import Contents, write_saved_model
from export.served_network import ServedNetwork
from export.session_run import SessionRun, Step, run_session
from export.signatures import Answers
from export.weights import Weights

LABELS = ("cat", "dog", "fox")
SIGNATURE = {"inputs": {}, "outputs": {}, "method": ""}


@pytest.fixture(scope="module")
def probe(network):
    return make_probe(network)


@pytest.fixture(scope="module")
def answers(network):
    """The signatures as they should be."""
    return Answers(FoldedNetwork(network, Weights(tf.float32)), LABELS, image_size=32)


@pytest.fixture
def candidate(answers, export_config, tmp_path):
    """A SavedModel that asks to be published, at first a folder that is not there."""
    return Candidate(
        folder=tmp_path / "model",
        form=form_of(export_config, "fp32"),
        labels=LABELS,
        image_size=32,
        weights_bytes=100_000,
        answers=answers,
    )


@pytest.fixture
def failed_gates(probe, candidate, network, export_config, tmp_path):
    """Judges a SavedModel in a session of another process: detail by name of what failed."""

    def judged(folder, **changes):
        photos = read_photos(export_config, LABELS)
        references = make_references(network, photos.compared)
        references.save_paths(tmp_path / "photos.json")
        probe.save(tmp_path / "probe.npz")
        run = run_session(folder, tmp_path / "probe.npz", tmp_path / "photos.json")
        gates = judge(replace(candidate, folder=folder, **changes), run, probe, references)
        return {gate.name: gate.detail for gate in gates if not gate.passed}

    return judged


def written(model, folder):
    weights = Weights(tf.float32)
    served = ServedNetwork(network=FoldedNetwork(model, weights), weights=weights, facts={})
    contents = Contents(
        labels=LABELS,
        image_size=32,
        warmup_signatures=("image_bytes",),
        warmup_batch_sizes=(1,),
    )
    write_saved_model(served, contents, folder)
    return weights.bytes


def test_a_saved_keras_model_cannot_be_served(network, failed_gates, tmp_path):
    tf.saved_model.save(network, str(tmp_path / "keras"))
    failed = failed_gates(tmp_path / "keras")
    assert "Could not find variable" in failed["session"]
    assert "signature classify: expected {'method'" in failed["signatures"]
    assert "agreement" in failed


def test_a_weight_that_changed_is_a_disagreement(network, failed_gates, tmp_path):
    changed = tf.keras.models.clone_model(network)
    changed.set_weights(network.get_weights())
    changed.layers[-2].bias.assign([0.0, 0.001, 0.0])
    weights_bytes = written(changed, tmp_path / "changed")
    failed = failed_gates(tmp_path / "changed", weights_bytes=weights_bytes)
    assert list(failed) == ["agreement", "photos"]
    assert "expected at most 1e-05 from the eager Keras model" in failed["agreement"]


def saved_unguarded(answer, variables, folder):
    """A SavedModel whose one signature hands its input on unlooked at."""
    module = tf.Module()
    module.weights = variables

    @tf.function(input_signature=[tf.TensorSpec([None, 32, 32, 3], tf.float32, name="image")])
    def unguarded(image):
        """One trace for any batch size."""
        return {"probabilities": answer(image), "label": tf.fill(tf.shape(image)[:1], "cat")}

    tf.saved_model.save(module, str(folder), signatures={"serving_default": unguarded})


def test_a_signature_without_a_guard_is_refused(network, failed_gates, tmp_path):
    weights = Weights(tf.float32)
    folded = FoldedNetwork(network, weights)
    saved_unguarded(folded, weights.variables, tmp_path / "unguarded")
    failed = failed_gates(tmp_path / "unguarded")
    assert "got serving_default with shape [1, 7, 7, 3]: an answer" in failed["refusals"]


def test_a_model_that_ends_its_process_is_refused(failed_gates, tmp_path):
    kernel = tf.Variable(tf.ones([3, 3, 3, 3]))

    def convolved(image):
        convolution = tf.nn.conv2d(image, kernel, strides=1, padding="SAME")
        return tf.reduce_mean(tf.nn.relu(convolution), axis=[1, 2])

    saved_unguarded(convolved, [kernel], tmp_path / "crashing")
    failed = failed_gates(tmp_path / "crashing")
    assert "ended during: serving_default with shape [1]" in failed["survives"]


def test_a_second_copy_of_the_weights_is_seen(version_folder, failed_gates):
    size = sum(file.stat().st_size for file in version_folder.rglob("*") if file.is_file())
    (version_folder / "assets" / "second_copy").write_bytes(bytes(1_200_000))
    failed = failed_gates(version_folder, weights_bytes=size)
    (version_folder / "assets" / "second_copy").unlink()
    assert list(failed) == ["one copy of the weights"]


def test_a_process_that_died_is_named_with_its_step(probe, candidate):
    run = SessionRun(unfinished="uint8 with shape [1]", ending="exit status -6: Check failed")
    verdicts = by_name(session_gates(candidate, run)) | by_name(
        agreement_gates(candidate, run, probe, None)
    )
    assert not verdicts["survives"].passed
    assert "uint8 with shape [1] (exit status -6" in verdicts["survives"].detail
    assert not any(
        verdicts[name].passed
        for name in ("session", "agreement", "refusals", "one call node", "same twice")
    )


def by_name(gates):
    return {gate.name: gate for gate in gates}


class Odd:
    """Signatures over a network that does something it should not."""

    def __init__(self, network):
        self.network = network

    def signatures(self):
        return Answers(self, LABELS, image_size=32).signatures()

    def from_pixels(self, pixels):
        return self(tf.cast(pixels, tf.float32) / 255)

    def __call__(self, image):
        return self.network(image)


def test_a_random_number_of_the_trace_is_frozen(candidate, probe, network):
    def noisy(image):
        return network(image) + np.random.default_rng().random()

    odd = replace(candidate, answers=Odd(noisy))
    verdict = by_name(trace_gates(odd, probe))["nothing frozen"]
    assert not verdict.passed
    assert "reads np.random, random or a clock" in verdict.detail


def test_a_signature_that_is_traced_for_each_batch_size_is_over_budget(candidate, probe, network):
    class Retraced(Odd):
        def signatures(self):
            functions = super().signatures()
            return {name: tf.function(function) for name, function in functions.items()}

    odd = replace(candidate, answers=Retraced(network))
    verdict = by_name(trace_gates(odd, probe))["trace budget"]
    assert not verdict.passed
    assert "expected that each signature is traced once" in verdict.detail


def test_an_answer_that_changes_from_call_to_call_is_seen(candidate):
    steps = {
        "uint8 with 3 rows": Step(answer={"probabilities": [[0.5]]}, error=""),
        "uint8 again": Step(answer={"probabilities": [[0.25]]}, error=""),
    }
    run = SessionRun(signatures={"uint8": {"nodes": [], **SIGNATURE}}, steps=steps)
    verdict = by_name(session_gates(candidate, run))["same twice"]
    assert not verdict.passed
    assert "uint8 answers otherwise the second time" in verdict.detail


def test_unfused_convolutions_are_counted(candidate, version_folder):
    run = SessionRun(convolutions={"Conv2D": 1, "_MklNativeFusedConv2D": 2})
    there = replace(candidate, folder=version_folder)
    verdict = by_name(graph_gates(there, run))["fused convolutions"]
    assert not verdict.passed
    assert "got 2 of 3" in verdict.detail


def test_an_op_of_python_is_refused(candidate, network, tmp_path):
    def by_python(image):
        probabilities = tf.py_function(network, [image], tf.float32)
        return tf.ensure_shape(probabilities, [None, 3])

    saved_unguarded(by_python, network.variables, tmp_path / "python")
    there = replace(candidate, folder=tmp_path / "python")
    verdict = by_name(graph_gates(there, SessionRun()))
    assert not verdict["known ops"].passed
    assert verdict["known ops"].detail.startswith("EagerPyFunc: not among the ops")


def test_a_function_that_xla_must_compile_is_refused(candidate, network, tmp_path):
    weights = Weights(tf.float32)
    compiled = tf.function(FoldedNetwork(network, weights), jit_compile=True)
    saved_unguarded(compiled, weights.variables, tmp_path / "xla")
    there = replace(candidate, folder=tmp_path / "xla")
    verdict = by_name(graph_gates(there, SessionRun()))
    assert "must be compiled by XLA" in verdict["known ops"].detail


def test_photos_that_are_labelled_otherwise_are_counted(candidate, probe):
    labels = np.zeros(200, np.int64)
    probabilities = np.tile(np.float32([[0.6, 0.4]]), (200, 1))
    references = PhotoReferences(paths=(), labels=labels, probabilities=probabilities)
    answers = np.tile([[0.55, 0.45]], (200, 1))
    answers[:3] = [0.4, 0.6]
    run = SessionRun(steps={"photos 0": Step(answer={"probabilities": answers}, error="")})
    form = replace(candidate.form, precision="int8", tolerance=0.1)
    there = replace(candidate, form=form)
    failed = by_name(agreement_gates(there, run, probe, references))
    del failed["agreement"]
    assert not any(gate.passed for gate in failed.values())
    assert failed["photos"].figure == pytest.approx(0.2)
    assert failed["same label"].figure == pytest.approx(197 / 200)
    assert (
        "expected 200 of 200 photos right, as eager Keras, or 1 more" in failed["accuracy"].detail
    )


def test_a_model_that_can_be_crashed_is_found(tmp_path):
    kernel = tf.Variable(tf.ones([3, 3, 3, 3]))

    def convolved(image):
        convolution = tf.nn.conv2d(image, kernel, strides=1, padding="SAME")
        return tf.reduce_mean(tf.nn.relu(convolution), axis=[1, 2])

    saved_unguarded(convolved, [kernel], tmp_path / "crashing")
    verdict = crash_gate(tmp_path / "crashing", requests=200)
    assert not verdict.passed
    assert "it ended during request" in verdict.detail
