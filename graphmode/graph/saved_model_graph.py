"""The facts of a SavedModel's signature, run in a session as TensorFlow Serving runs it."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tensorflow as tf

from graphmode.errors import GraphmodeError
from graphmode.graph.facts import GraphFacts
from graphmode.graph.optimised import merged, what_happened
from graphmode.graph.sample_inputs import sample_input
from graphmode.graph.stage import flattened, stage_facts, variables_of


def saved_model_facts(
    folder: Path, signature: str, files: Mapping[str, Path] | None = None
) -> GraphFacts:
    """Load a SavedModel into a session, run a signature once, and say what its graph became.

    Args:
        folder: holds `saved_model.pb`.
        signature: the key of one of its signatures.
        files: inputs by name that are read from files; see `sample_input`.

    Raises:
        GraphmodeError: there is no such model or signature, or it does not run on such inputs.
    """
    with tf.Graph().as_default(), tf.compat.v1.Session() as session, _without_warnings():
        meta_graph = _loaded(session, folder)
        definition = _definition(meta_graph, signature, folder)
        specs = {name: _spec(info) for name, info in definition.inputs.items()}
        values = _values(specs, files or {})
        feeds = {definition.inputs[name].name: value for name, value in values.items()}
        fetches = [info.name for info in definition.outputs.values()]
        graph = _run(session, fetches, feeds, f"{folder} {signature}")
    before = list(flattened(_reached(meta_graph.graph_def, fetches)))
    after = list(flattened(graph))
    return GraphFacts(
        name=f"{folder} {signature}",
        inputs={
            name: f"{list(value.shape)}:{specs[name].dtype.name}" for name, value in values.items()
        },
        before=stage_facts(before),
        after=stage_facts(after),
        variables=variables_of(before),
        optimised=graph.SerializeToString(),
    )


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Loading into a session logs that it is deprecated; it is what servers do."""
    logger = tf.get_logger()
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _loaded(session: tf.compat.v1.Session, folder: Path) -> Any:  # noqa: ANN401
    try:
        return tf.compat.v1.saved_model.load(session, ["serve"], str(folder))
    except (OSError, RuntimeError, tf.errors.OpError) as error:
        line = str(error).strip().splitlines()[0]
        raise GraphmodeError(f"{folder} cannot be loaded as a SavedModel: {line}") from error


def _definition(meta_graph: Any, signature: str, folder: Path) -> Any:  # noqa: ANN401
    signatures = meta_graph.signature_def
    if signature not in signatures:
        names = ", ".join(sorted(name for name in signatures if not name.startswith("__")))
        raise GraphmodeError(f"{folder} has no signature {signature!r}: it has {names or 'none'}")
    return signatures[signature]


def _spec(info: Any) -> tf.TensorSpec:  # noqa: ANN401
    return tf.TensorSpec(tf.TensorShape(info.tensor_shape), tf.dtypes.as_dtype(info.dtype))


def _values(specs: Mapping[str, tf.TensorSpec], files: Mapping[str, Path]) -> dict[str, Any]:
    unknown = sorted(set(files) - set(specs))
    if unknown:
        raise GraphmodeError(f"--input {unknown[0]}: no such input; there is {', '.join(specs)}")
    return {name: sample_input(name, spec, files) for name, spec in specs.items()}


def _run(
    session: tf.compat.v1.Session, fetches: list[str], feeds: Mapping[str, Any], name: str
) -> Any:  # noqa: ANN401
    metadata = tf.compat.v1.RunMetadata()
    options = tf.compat.v1.RunOptions(output_partition_graphs=True)
    try:
        session.run(fetches, feeds, options=options, run_metadata=metadata)
    except tf.errors.OpError as error:
        raise GraphmodeError(
            f"{name} does not run on these inputs ({what_happened(error)}): "
            "give others with --input NAME=FILE"
        ) from error
    return merged(list(metadata.partition_graphs))


def _reached(graph: Any, fetches: list[str]) -> Any:  # noqa: ANN401
    """The graph without the nodes that the fetched tensors do not need."""
    nodes = {node.name: node for node in graph.node}
    wanted = [fetch.partition(":")[0] for fetch in fetches]
    needed: set[str] = set()
    while wanted:
        name = wanted.pop()
        if name not in needed:
            needed.add(name)
            wanted += [source.lstrip("^").partition(":")[0] for source in nodes[name].input]
    kept = type(graph)()
    kept.library.CopyFrom(graph.library)
    kept.node.extend(node for node in graph.node if node.name in needed)
    return kept
