"""TensorBoard's files of a training: scalars by epoch, the train step's graph, a profile."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import tensorflow as tf

PROFILED_STEPS = range(10, 21)
"""Counted from 1: the first ones trace, allocate and fill caches."""


# What tf.summary.scalar writes, which needs TensorBoard itself to be installed.
_SCALAR = tf.compat.v1.SummaryMetadata(
    plugin_data=tf.compat.v1.SummaryMetadata.PluginData(plugin_name="scalars"),
    data_class="DATA_CLASS_SCALAR",
)


class Board(AbstractContextManager["Board"]):
    """Writes to one folder, and profiles from PROFILED_STEPS' first step to its last or the end."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._writer = tf.summary.create_file_writer(self._folder)
        self._is_profiling = False

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end_profile()
        self._writer.close()

    def scalars(self, epoch: int, row: dict[str, float]) -> None:
        """Write an epoch's figures."""
        with self._writer.as_default():
            for name, value in row.items():
                part, _, rest = name.partition("validation_")
                tag = f"validation/{rest}" if rest else f"train/{part}"
                tf.summary.write(tag, tf.constant(value, tf.float32), epoch, metadata=_SCALAR)
        self._writer.flush()

    def graph(self, step: Any) -> None:  # noqa: ANN401 - a tf.function's type is private
        """Write the graph of a step that has an `input_signature`; an eager one has none."""
        if not hasattr(step, "get_concrete_function"):
            return
        with self._writer.as_default():
            tf.summary.graph(step.get_concrete_function().graph)
        self._writer.flush()

    @contextmanager
    def profiled(self, step: int) -> Iterator[None]:
        """Have the block, which is the given step, in the profile of PROFILED_STEPS."""
        if step == PROFILED_STEPS.start:
            tf.profiler.experimental.start(self._folder)
            self._is_profiling = True
        if not self._is_profiling:
            yield
            return
        with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
            yield
        if step == PROFILED_STEPS.stop - 1:
            self._end_profile()

    def _end_profile(self) -> None:
        if self._is_profiling:
            self._is_profiling = False
            tf.profiler.experimental.stop()
