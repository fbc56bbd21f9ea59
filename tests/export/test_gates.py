"""Sabotage: each gate is shown a model that it must refuse."""

import pytest
import tensorflow as tf

from export.folding import FoldedNetwork
from export.gates import Candidate, judge
from export.probe import make_probe
from export.saved_model import Contents, write_saved_model
from export.session_run import SessionRun, run_session

LABELS = ("cat", "dog", "fox")


@pytest.fixture(scope="module")
def probe(network):
    return make_probe(network)


@pytest.fixture
def failed_gates(probe, tmp_path):
    """Judges a SavedModel in a session of another process: detail by name of what failed."""

    def judged(folder, weights_bytes=100_000):
        probe.save(tmp_path / "probe.npz")
        candidate = Candidate(
            folder=folder, labels=LABELS, weights_bytes=weights_bytes, tolerance=1e-5
        )
        gates = judge(candidate, probe, run_session(folder, tmp_path / "probe.npz"))
        return {gate.name: gate.detail for gate in gates if not gate.passed}

    return judged


def written(model, folder):
    contents = Contents(
        labels=LABELS,
        precision="fp32",
        warmup_signatures=("image_bytes",),
        warmup_batch_sizes=(1,),
    )
    return write_saved_model(model, contents, folder)


def test_a_saved_keras_model_cannot_be_served(network, failed_gates, tmp_path):
    tf.saved_model.save(network, str(tmp_path / "keras"))
    failed = failed_gates(tmp_path / "keras")
    assert "Could not find variable" in failed["session"]
    assert "expected {'inputs': {'inputs'" in failed["signatures"]
    assert "agreement" in failed


def test_a_weight_that_changed_is_a_disagreement(network, failed_gates, tmp_path):
    changed = tf.keras.models.clone_model(network)
    changed.set_weights(network.get_weights())
    changed.layers[-2].bias.assign([0.0, 0.001, 0.0])
    weights_bytes = written(changed, tmp_path / "changed")
    failed = failed_gates(tmp_path / "changed", weights_bytes)
    assert list(failed) == ["agreement"]
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
    folded = FoldedNetwork(network, tf.float32)
    saved_unguarded(folded, folded.variables, tmp_path / "unguarded")
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


def test_a_process_that_died_is_named_with_its_step(probe, tmp_path):
    run = SessionRun(unfinished="uint8 with shape [1]", ending="exit status -6: Check failed")
    candidate = Candidate(folder=tmp_path, labels=LABELS, weights_bytes=1, tolerance=1)
    verdicts = {gate.name: gate for gate in judge(candidate, probe, run)}
    assert not verdicts["survives"].passed
    assert "uint8 with shape [1] (exit status -6" in verdicts["survives"].detail
    assert not any(
        verdicts[name].passed for name in ("session", "agreement", "refusals", "one call node")
    )
