"""Models that a server would not serve, and what is said of each."""

import shutil

import pytest
import tensorflow as tf

from export.fuzz.open_graph import served_meta_graph
from export.preflight.reach import signature_reaches
from export.preflight.session_checks import check_session
from export.preflight.stored_tensors import check_files, check_stored_once
from export.preflight.trial import Answer, Trial
from export.preflight.versions import locate


def floats(*shape, name="x"):
    return tf.TensorSpec(shape, tf.float32, name=name)


def doubled(x):
    return {"y": 2 * x}


def test_a_convolution_that_dies_of_a_scalar_is_found_by_the_fuzz(check, save):
    module = tf.Module()
    module.kernel = tf.Variable(tf.random.stateless_uniform([3, 3, 3, 4], [1, 2]))

    def convolved(image):
        return {"y": tf.nn.relu(tf.nn.conv2d(image, module.kernel, 1, "SAME"))}

    folder = save(module=module, serving_default=(convolved, floats(None, 16, 16, 3, name="image")))
    result = check(folder, "--fuzz_requests=300")
    assert result.status == 1
    assert result.failing == ["crash fuzz"]
    assert "image float32 []" in result.said["crash fuzz"]
    assert "SIGABRT" in result.said["crash fuzz"]
    assert "export guard" in result.said["crash fuzz"]


def test_a_model_that_calls_python_fails_by_that_alone(check, save):
    def called(x):
        return {"y": tf.ensure_shape(tf.py_function(lambda v: v + 1, [x], tf.float32), [None])}

    folder = save(serving_default=(doubled, floats(None)), python=(called, floats(None)))
    result = check(folder)
    assert result.status == 1
    assert result.failing == ["python ops"]
    assert result.said["python ops"].startswith("python calls Python")
    assert result.said["session"].startswith("Answered in a session: serving_default.")


def test_a_function_that_must_be_compiled_fails_though_a_session_runs_it(check, save):
    compiled = tf.function(lambda x: tf.nn.relu(x) + 1, jit_compile=True)
    folder = save(serving_default=(lambda x: {"y": compiled(x)}, floats(None, 2)))
    result = check(folder)
    assert result.status == 1
    assert result.failing == ["xla"]
    assert "--xla_cpu_compilation_enabled" in result.said["xla"]
    assert result.verdicts["session"] == "ok"


def with_variables(save, *values):
    """A model whose one signature adds up its variables."""
    module = tf.Module()
    module.weights = [tf.Variable(value) for value in values]

    def added(x):
        return {"y": x + sum(tf.reduce_sum(weight) for weight in module.weights)}

    return save(module=module, serving_default=(added, floats(None)))


def random_values(seed, *shape):
    return tf.random.stateless_uniform(shape, [seed, seed])


def test_a_half_copied_version_fails_and_is_not_run(check, save):
    folder = with_variables(save, random_values(1, 30))
    shutil.rmtree(folder / "variables")
    result = check(folder)
    assert result.status == 1
    assert result.failing == ["variables files"]
    assert "variables.index is missing" in result.said["variables files"]
    assert result.verdicts["session"] == "not applicable"
    assert "variables files fails" in result.said["session"]


def test_a_cut_variables_file_fails(check, save):
    folder = with_variables(save, random_values(1, 3000))
    (data,) = folder.glob("variables/variables.data-*")
    data.write_bytes(data.read_bytes()[:-2000])
    result = check(folder)
    assert result.failing == ["variables files"]
    assert "incomplete or damaged" in result.said["variables files"]


def test_a_changed_byte_in_the_variables_fails(check, save):
    folder = with_variables(save, random_values(1, 3000))
    (data,) = folder.glob("variables/variables.data-*")
    content = bytearray(data.read_bytes())
    content[5000] ^= 1
    data.write_bytes(content)
    assert check(folder).failing == ["variables files"]


def test_variables_of_another_model_fail(check, save):
    folder = with_variables(save, random_values(1, 30), random_values(2, 30))
    shutil.rmtree(folder / "variables")
    other = save("other", serving_default=(doubled, floats(None)))
    shutil.copytree(other / "variables", folder / "variables")
    result = check(folder)
    assert result.failing == ["variables files"]
    assert "2 missing" in result.said["variables files"]


def stored_once(folder):
    meta_graph = served_meta_graph(folder)
    files, stored = check_files(folder, meta_graph)
    assert files.verdict == "ok", files
    return check_stored_once(stored, signature_reaches(meta_graph))


def test_equal_weights_are_said_to_be_stored_twice(save):
    value = random_values(1, 500)
    finding = stored_once(with_variables(save, value, value, tf.zeros([500]), tf.zeros([500])))
    assert finding.verdict == "warning"
    assert finding.found.startswith("2,000 bytes are stored twice, as in weights/0")


def test_variables_that_no_signature_reaches_are_said_to_be_for_nothing(save):
    module = tf.Module()
    module.used = tf.Variable(random_values(1, 9))
    module.slots = tf.Variable(random_values(2, 99999))
    signature = (lambda x: {"y": x * module.used}, floats(None, 9))
    finding = stored_once(save(module=module, serving_default=signature))
    assert finding.verdict == "warning"
    assert "reach variables of 36: 399,996 are read" in finding.found


def test_a_model_without_signatures_fails(check, save):
    module = tf.Module()
    module.function = tf.function(doubled, input_signature=[floats(None)])
    result = check(save(module=module))
    assert result.status == 1
    assert result.failing == ["signatures"]
    assert result.report["signatures"] == {}


def test_a_model_without_the_tag_serve_fails(check, tmp_path):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        builder = tf.compat.v1.saved_model.Builder(str(tmp_path / "1"))
        builder.add_meta_graph_and_variables(session, ["train", "gpu"], {})
        builder.save()
    result = check(tmp_path)
    assert result.failing == ["serve tag"]
    assert "gpu,train" in result.said["serve tag"]


def test_a_cut_graph_file_fails(check, save):
    folder = save(serving_default=(doubled, floats(None)))
    graph = folder / "saved_model.pb"
    graph.write_bytes(graph.read_bytes()[:-7])
    result = check(folder)
    assert result.failing == ["graph file"]
    assert "cut or damaged" in result.said["graph file"]


def test_an_empty_graph_file_fails(check, tmp_path):
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "saved_model.pb").touch()
    assert check(tmp_path).failing == ["graph file"]


def test_an_op_that_tensorflow_does_not_have_fails(check, save):
    folder = save(serving_default=(lambda x: {"y": tf.math.bessel_i0(x)}, floats(None)))
    graph = folder / "saved_model.pb"
    assert b"BesselI0" in graph.read_bytes()
    graph.write_bytes(graph.read_bytes().replace(b"BesselI0", b"OurOwnOp"))
    result = check(folder)
    assert result.failing == ["registered ops"]
    assert "OurOwnOp" in result.said["registered ops"]


def test_the_newest_version_is_checked_and_a_broken_one_takes_over(check, save):
    folder = save(serving_default=(doubled, floats(None)))
    (folder.parent / "007").mkdir()
    (folder.parent / "notes").mkdir()
    result = check(folder.parent)
    assert result.failing == ["graph file"]
    assert result.report["saved_model"].endswith("/007")


def test_a_leaf_that_is_no_number_is_not_found(check, save):
    folder = save(serving_default=(doubled, floats(None)))
    folder.rename(folder.parent / "latest")
    result = check(folder.parent)
    assert result.failing == ["version folder"]
    assert "No versions found under base path" in result.said["version folder"]
    assert "rename latest" in result.said["version folder"]
    assert locate(folder.parent / "latest")[1].verdict == "warning"


@pytest.mark.parametrize(
    ("error", "message", "verdict"),
    [
        ("InvalidArgumentError", "No OpKernel was registered to support Op 'Nccl'", "FAILS"),
        ("UnimplementedError", "not for this type", "FAILS"),
        ("NotFoundError", "Resource localhost/w does not exist", "FAILS"),
        ("NotFoundError", "a word; No such file or directory", "warning"),
        ("InvalidArgumentError", "must be a photo", "warning"),
    ],
)
def test_what_no_input_would_mend_fails_and_a_refusal_is_a_warning(error, message, verdict):
    answer = Answer(error=error, message=message, rows=2, outputs={})
    finding = check_session(Trial(unloadable="", answers={"net": answer}), left_out=())
    assert finding.verdict == verdict
    assert message in finding.found
