"""Write the small SavedModels that the conformance cases are asked of.

Usage: python models.py OUT_DIR

OUT_DIR/<model>/<version>/ is laid out as a model server expects. Everything is made
from seedless constants, so two runs give the same answers.
"""

import pathlib
import sys

import tensorflow as tf

F32 = tf.float32


def save(module, path, signatures):
    tf.saved_model.save(module, str(path), signatures=signatures)


def scale(out):
    """`scale`, versions 1..3: y = version * x. For version, label and status cases."""
    for version in (1, 2, 3):
        m = tf.Module()
        m.f = tf.function(
            lambda x, v=version: {"y": tf.cast(v, F32) * x},
            input_signature=[tf.TensorSpec([None], F32, name="x")],
        )
        save(m, out / "scale" / str(version), {"serving_default": m.f})


def multi(out):
    """`multi`: two inputs, two outputs, a second signature, and one with a fixed shape."""
    m = tf.Module()
    vec = tf.TensorSpec([None, 2], F32, name="a")
    m.both = tf.function(
        lambda a, b: {"sum": a + b, "diff": a - b},
        input_signature=[vec, tf.TensorSpec([None, 2], F32, name="b")],
    )
    m.double = tf.function(
        lambda x: {"twice": 2.0 * x}, input_signature=[tf.TensorSpec([None], F32, name="x")]
    )
    m.total = tf.function(
        lambda x: {"total": tf.reduce_sum(x)},
        input_signature=[tf.TensorSpec([2, 2], F32, name="x")],
    )
    m.ragged = tf.function(
        lambda x: {"first": x, "rest": x[1:]},
        input_signature=[tf.TensorSpec([None], F32, name="x")],
    )
    save(
        m,
        out / "multi" / "7",
        {"serving_default": m.both, "double": m.double, "total": m.total, "ragged": m.ragged},
    )


def dtypes(out):
    """`dtypes`: one identity signature per dtype, named after the dtype."""
    m = tf.Module()
    signatures = {}
    for dtype in (
        tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int8, tf.int16, tf.int32, tf.int64,
        tf.uint8, tf.uint16, tf.uint32, tf.uint64, tf.bool, tf.string, tf.complex64,
    ):  # fmt: skip
        f = tf.function(
            lambda x: {"y": tf.identity(x)},
            input_signature=[tf.TensorSpec(None, dtype, name="x")],
        )
        setattr(m, "f_" + dtype.name, f)
        signatures[dtype.name] = f
    save(m, out / "dtypes" / "1", signatures)


def strings(out):
    """`strings`: byte strings in; one output alias ends in `_bytes`, one does not."""
    m = tf.Module()
    m.f = tf.function(
        lambda s: {
            "upper": tf.strings.upper(s),
            "echo_bytes": tf.identity(s),
            "length": tf.strings.length(s),
        },
        input_signature=[tf.TensorSpec([None], tf.string, name="s")],
    )
    m.pixels = tf.function(
        lambda s: {
            "shape": tf.map_fn(
                lambda one: tf.shape(tf.io.decode_jpeg(one, channels=3)),
                s,
                fn_output_signature=tf.int32,
            )
        },
        input_signature=[tf.TensorSpec([None], tf.string, name="image_bytes")],
    )
    save(m, out / "strings" / "1", {"serving_default": m.f, "pixels": m.pixels})


def examples(out):
    """`examples`: a TF1-style model with predict, classify and regress signatures on tf.Example."""
    path = out / "examples" / "1"
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        serialized = tf.compat.v1.placeholder(tf.string, [None], name="tf_example")
        parsed = tf.io.parse_example(
            serialized, {"x": tf.io.FixedLenFeature([1], F32, default_value=[0.0])}
        )
        x = tf.identity(parsed["x"], name="x")
        weight = tf.compat.v1.get_variable("w", initializer=0.5, use_resource=True)
        y = tf.add(weight * x, 2.0, name="y")
        scores = tf.concat([y, -y], axis=1)
        labels = tf.tile(tf.constant([["pos", "neg"]]), [tf.shape(x)[0], 1])
        build = tf.compat.v1.saved_model.build_tensor_info
        make = tf.compat.v1.saved_model.build_signature_def
        signatures = {
            "serving_default": make({"x": build(x)}, {"y": build(y)}, "tensorflow/serving/predict"),
            "classify": make(
                {"inputs": build(serialized)},
                {"classes": build(labels), "scores": build(scores)},
                "tensorflow/serving/classify",
            ),
            "classify_scores_only": make(
                {"inputs": build(serialized)},
                {"scores": build(scores)},
                "tensorflow/serving/classify",
            ),
            "regress": make(
                {"inputs": build(serialized)}, {"outputs": build(y)}, "tensorflow/serving/regress"
            ),
        }
        session.run(tf.compat.v1.global_variables_initializer())
        builder = tf.compat.v1.saved_model.Builder(str(path))
        builder.add_meta_graph_and_variables(session, ["serve"], signatures)
        builder.save()


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for make in (scale, multi, dtypes, strings, examples):
        make(out)
    (out / "models.config").write_text(CONFIG.replace("OUT_DIR", str(out.resolve())))
    (out / "monitoring.config").write_text(
        'prometheus_config { enable: true, path: "/monitoring/prometheus/metrics" }\n'
    )


CONFIG = """\
model_config_list {
  config {
    name: "scale"
    base_path: "OUT_DIR/scale"
    model_platform: "tensorflow"
    model_version_policy { specific { versions: 1 versions: 2 versions: 3 } }
    version_labels { key: "stable" value: 2 }
    version_labels { key: "canary" value: 3 }
  }
  config { name: "multi" base_path: "OUT_DIR/multi" model_platform: "tensorflow" }
  config { name: "dtypes" base_path: "OUT_DIR/dtypes" model_platform: "tensorflow" }
  config { name: "strings" base_path: "OUT_DIR/strings" model_platform: "tensorflow" }
  config { name: "examples" base_path: "OUT_DIR/examples" model_platform: "tensorflow" }
}
"""

if __name__ == "__main__":
    main()
