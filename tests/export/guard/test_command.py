import os
import signal
import subprocess
import sys

import pytest
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

v1 = tf.compat.v1


def read(folder):
    data = (folder / "saved_model.pb").read_bytes()
    return saved_model_pb2.SavedModel.FromString(data)


def files(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_model_is_the_same_but_for_its_guard(deadly_model, guarded_model):
    before, after = files(deadly_model), files(guarded_model)
    changed = {"saved_model.pb", "fingerprint.pb"}
    assert {name for name in before if after.pop(name) != before[name]} == changed
    assert not after
    (old,), (new,) = read(deadly_model).meta_graphs, read(guarded_model).meta_graphs
    assert new.signature_def == old.signature_def
    assert new.object_graph_def == old.object_graph_def
    assert [entry.name for entry in guarded_model.parent.iterdir()] == [guarded_model.name]


def test_the_fingerprint_is_that_of_the_new_graph(deadly_model, guarded_model):
    read_fingerprint = tf.saved_model.experimental.read_fingerprint
    old, new = (read_fingerprint(str(folder)) for folder in (deadly_model, guarded_model))
    assert new.checkpoint_hash == old.checkpoint_hash
    assert new.graph_def_program_hash != old.graph_def_program_hash


def test_guarding_twice_adds_nothing(guarded_model, guard, tmp_path):
    status, report, _ = guard(guarded_model, tmp_path / "twice", "--json")
    assert (status, report["added"]) == (0, 0)
    shape = [None, 32, 32, 3]
    assert report["inputs"] == [
        {
            "tags": ["serve"], "signature": "serving_default", "alias": "image",
            "tensor": "serving_default_image:0", "dtype": "float32", "shape": shape,
            "verdict": "present", "guard": shape, "detail": "",
        }
    ]  # fmt: skip
    assert [each["is_same"] for each in report["comparisons"]] == [True]
    assert files(tmp_path / "twice") == files(guarded_model)


def builder_model(folder):
    """Two MetaGraphs of TF1, as text: they look words up in a vocabulary, and scale the index."""
    vocabulary = folder.parent / "words.txt"
    vocabulary.write_text("cat\ndog\nfox\n")
    builder = v1.saved_model.Builder(str(folder))
    with tf.Graph().as_default(), v1.Session() as session:
        word = v1.placeholder(tf.string, None, name="word")
        lines = tf.lookup.TextFileInitializer(
            str(vocabulary), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
            tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER,
        )  # fmt: skip
        table = tf.lookup.StaticHashTable(lines, default_value=-1)
        scale = v1.get_variable("scale", initializer=0.5)
        found = scale * tf.cast(table.lookup(word), tf.float32)
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        build = v1.saved_model.build_tensor_info
        info = build(word)
        info.tensor_shape.CopyFrom(tf.TensorShape([None]).as_proto())
        signature = v1.saved_model.build_signature_def({"word": info}, {"index": build(found)}, "")
        contents = {
            "signature_def_map": {"serving_default": signature},
            "assets_collection": v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS),
            "main_op": v1.tables_initializer(),
        }
        builder.add_meta_graph_and_variables(session, ["serve"], **contents)
        v1.get_default_graph().clear_collection("saved_model_main_op")
        builder.add_meta_graph(["serve", "tuned"], **contents)
        builder.save(as_text=True)
    vocabulary.unlink()
    return folder


def test_a_builder_model_with_a_table_answers_from_each_of_its_graphs(guard, tmp_path):
    status, said, err = guard(builder_model(tmp_path / "1"), tmp_path / "2")
    assert status == 0, err
    assert said.splitlines() == [
        "serving_default.word: guarded, string [?]",
        "(serve, tuned) serving_default.word: guarded, string [?]",
        "serving_default: answers the same bits",
        "(serve, tuned) serving_default: answers the same bits",
        f"{tmp_path / '2'}: guards added: 2",
    ]
    with tf.Graph().as_default(), v1.Session() as session:
        v1.saved_model.load(session, ["serve"], str(tmp_path / "2"))
        assert session.run("mul:0", {"word:0": [b"fox", b"cow"]}).tolist() == [1.0, -0.5]
        with pytest.raises(tf.errors.InvalidArgumentError, match="word_shape_guard"):
            session.run("mul:0", {"word:0": [[b"fox"]]})


def test_a_target_that_exists_is_refused(deadly_model, guard, tmp_path):
    status, _, err = guard(deadly_model, tmp_path)
    assert status == 2
    assert err == (
        f"guard: {tmp_path} exists: name a folder that does not, nothing is overwritten\n"
    )


def test_a_target_inside_the_model_is_refused(deadly_model, guard):
    status, _, err = guard(deadly_model, deadly_model / "guarded")
    assert status == 2
    assert f"lies in {deadly_model}, which stays as it is" in err


def test_a_target_without_a_parent_is_refused(deadly_model, guard, tmp_path):
    status, _, err = guard(deadly_model, tmp_path / "none" / "1")
    assert status == 2
    assert f"{tmp_path / 'none'} is no folder: make it" in err


def test_a_models_folder_is_refused_with_its_newest_version(guard, tmp_path):
    for version in ("9", "10"):
        (tmp_path / "model" / version).mkdir(parents=True)
        (tmp_path / "model" / version / "saved_model.pb").write_bytes(b"")
    status, _, err = guard(tmp_path / "model", tmp_path / "out")
    assert status == 2
    assert f"name one of them, the newest is {tmp_path / 'model' / '10'}" in err


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("readme.txt", b"", "is no SavedModel: it has no saved_model.pb"),
        ("saved_model.cpb", b"", "saved_model.cpb is a SavedModel in chunks"),
        ("saved_model.pb", b"\xff\xff", "saved_model.pb is cut or damaged"),
        ("saved_model.pbtxt", b"meta_graphs {", "saved_model.pbtxt is no SavedModel as text"),
    ],
)
def test_what_is_no_saved_model_is_refused(guard, tmp_path, name, content, message):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / name).write_bytes(content)
    status, _, err = guard(tmp_path / "in", tmp_path / "out")
    assert status == 2
    assert message in err.splitlines()[-1]
    assert not (tmp_path / "out").exists()


def test_a_folder_that_does_not_exist_is_refused(guard, tmp_path):
    status, _, err = guard(tmp_path / "none", tmp_path / "out")
    assert status == 2
    assert "there is no such folder" in err.splitlines()[-1]


def test_killed_half_way_it_leaves_no_version(deadly_model, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "export", "guard", str(deadly_model), str(tmp_path / "2")],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert any("asking both models" in line for line in process.stderr)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".2-guard-")
