"""One loaded version of a model: the thing that answers a prediction."""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from serving.batching.batch_function import BatchingParameters, add_batch_function
from serving.caller import Caller
from serving.errors import Fault, ServingError
from serving.messages import config_pb2
from serving.models.saved_model import check_complete
from serving.monitoring.metrics import Metrics
from serving.runtime.session import Feed, Session
from serving.runtime.signature import Signature, read_signatures
from serving.runtime.tensorflow_library import Output
from serving.runtime.tensors import Tensor

# A request that fails for one of these is not tried again alone: the batch was not at fault.
_NOT_THE_BATCH = {Fault.UNAVAILABLE, Fault.DEADLINE_EXCEEDED, Fault.CANCELLED}


@dataclass(frozen=True, kw_only=True)
class LoadOptions:
    """How versions are loaded and run; the same for every model of a server."""

    session_config: config_pb2.ConfigProto
    tags: Sequence[str] = ("serve",)
    batching: BatchingParameters | None = None
    """None runs every request by itself."""

    validates_shapes: bool = True
    """Refuse a tensor whose rank or fixed dimension contradicts the signature."""


class Servable:
    """A version of a model, loaded; owns the session and counts the requests inside it."""

    def __init__(
        self, name: str, version: int, path: Path, options: LoadOptions, metrics: Metrics
    ) -> None:
        """Load the version in the folder `path`.

        Raises:
            ServingError: the folder is incomplete, or TensorFlow refuses it.
        """
        check_complete(path)
        self.name = name
        self.version = version
        self._options = options
        self._metrics = metrics
        self._session = Session(path, options.tags, options.session_config)
        self.signature_defs = self._session.signature_defs
        self._signatures = read_signatures(self.signature_defs)
        try:
            self._batched = self._add_batching()
        except BaseException:
            self._session.close()
            raise
        self._in_flight = 0
        self._idle = threading.Condition()

    @property
    def most_rows(self) -> int | None:
        """Most rows that a request may have; None without a bound."""
        return self._options.batching.max_batch_size if self._options.batching else None

    def signature(self, name: str) -> Signature | None:
        """The signature of that name, if the model has it."""
        return self._signatures.get(name)

    def predict(
        self,
        signature: Signature,
        inputs: Mapping[str, Tensor],
        output_filter: Sequence[str] = (),
        caller: Caller | None = None,
    ) -> dict[str, Tensor]:
        """The signature's outputs for `inputs`, by alias.

        Args:
            signature: one of this servable's.
            inputs: a tensor for each input alias, rows along the first axis.
            output_filter: the outputs to compute; all when empty.
            caller: who waits for the answer; None waits for ever.

        Raises:
            ServingError: the inputs do not fit the signature, TensorFlow fails on them, or the
                caller no longer waits when the run would begin.
        """
        signature.check_inputs(inputs)
        if self._options.validates_shapes:
            signature.check_shapes(inputs)
        aliases = signature.chosen_outputs(output_filter)
        started = time.perf_counter()
        try:
            return self._run(signature, inputs, aliases, caller or Caller())
        finally:
            self._metrics.runtime_latency(self.name, time.perf_counter() - started)

    def _run(
        self,
        signature: Signature,
        inputs: Mapping[str, Tensor],
        aliases: Sequence[str],
        caller: Caller,
    ) -> dict[str, Tensor]:
        feeds = [
            (self._session.endpoint(signature.inputs[alias].tensor_name), array)
            for alias, array in inputs.items()
        ]
        direct = {
            alias: self._session.endpoint(signature.outputs[alias].tensor_name) for alias in aliases
        }
        batched = self._batched.get(signature.name)
        if batched is not None and self._is_batchable(inputs):
            try:
                wanted = {alias: batched[alias] for alias in aliases}
                return self._fetch(feeds, wanted, caller)
            except ServingError as error:
                # Another request of the batch may be at fault: alone, each gets its own answer.
                if error.fault in _NOT_THE_BATCH:
                    # Without the node of ours that TensorFlow names at the end.
                    sentence = error.sentence.partition("\n\t [[")[0]
                    raise ServingError(error.fault, sentence) from error
        return self._fetch(feeds, direct, caller)

    def _fetch(
        self, feeds: Sequence[Feed], wanted: Mapping[str, Output], caller: Caller
    ) -> dict[str, Tensor]:
        caller.check()
        values = self._session.run(feeds, list(wanted.values()), caller.remaining_s())
        return dict(zip(wanted, values, strict=True))

    def _is_batchable(self, inputs: Mapping[str, Tensor]) -> bool:
        """Whether the request has rows to share; one without any would never be answered.

        Raises:
            ServingError: it has more rows than a batch may have.
        """
        rows = {array.shape[0] if array.ndim else 0 for array in inputs.values()}
        parameters = self._options.batching
        if len(rows) != 1 or 0 in rows or parameters is None:
            return False
        if max(rows) > parameters.max_batch_size:
            raise ServingError(
                Fault.INVALID_ARGUMENT,
                f"Task size {max(rows)} is larger than maximum input batch size "
                f"{parameters.max_batch_size}",
            )
        return True

    def _add_batching(self) -> dict[str, dict[str, Output]]:
        if self._options.batching is None:
            return {}
        batched = {
            name: add_batch_function(self._session, signature, self._options.batching)
            for name, signature in self._signatures.items()
        }
        return {name: endpoints for name, endpoints in batched.items() if endpoints}

    def enter(self) -> None:
        """Count a request in; `leave` counts it out."""
        with self._idle:
            self._in_flight += 1
        self._metrics.entered(self.name)

    def leave(self) -> None:
        """Count a request out."""
        with self._idle:
            self._in_flight -= 1
            self._idle.notify_all()
        self._metrics.left(self.name)

    def close(self, drain_s: float) -> None:
        """Wait for the requests inside, then give the memory back.

        After `drain_s` seconds the session is left alive rather than pulled from under a request.
        """
        with self._idle:
            if self._idle.wait_for(lambda: self._in_flight == 0, drain_s):
                self._session.close()
