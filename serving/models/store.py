"""The life of every version of every model; the one owner of which version takes requests.

    folder appears        loads, warms            replaced or gone        drained
    START ------------> LOADING ------------> AVAILABLE ------------> UNLOADING ------------> END
                            |                                                                  ^
                            +---- cannot be loaded: the error is in the status ----------------+

One thread looks at the disk and moves the states. A new version takes over only when it is
loaded and warm, and only then the old one is drained: there is always one to answer.
"""

import contextlib
import enum
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from serving.errors import Fault, ServingError
from serving.models.config import ModelConfig, versions_on_disk
from serving.models.saved_model import fingerprint
from serving.models.servable import Servable

_log = logging.getLogger(__name__)

Loader = Callable[[str, int, Path], Servable]


class State(enum.IntEnum):
    """ModelVersionStatus.State of TensorFlow Serving's get_model_status.proto."""

    START = 10
    LOADING = 20
    AVAILABLE = 30
    UNLOADING = 40
    END = 50


@dataclass(frozen=True, kw_only=True)
class VersionStatus:
    """What is known of one version: its state, and why it ended if it failed."""

    version: int
    state: State
    error: ServingError | None = None


@dataclass
class _Version:
    status: VersionStatus
    servable: Servable | None = None
    failed_files: object = None
    """The folder's fingerprint when it failed to load; it is tried again when that changes."""


class ModelStore:
    """Finds, loads, serves and unloads versions."""

    def __init__(
        self, models: Sequence[ModelConfig], load: Loader, *, poll_s: float, drain_s: float
    ) -> None:
        """Hold `models`, whose versions `load` turns into servables.

        Args:
            models: what to serve.
            load: loads and warms a version; raises ServingError where it cannot.
            poll_s: seconds between two looks at the disk; 0 looks once.
            drain_s: longest wait for requests inside a version that is unloaded.
        """
        self._models = {model.name: model for model in models}
        self._load = load
        self._poll_s = poll_s
        self._drain_s = drain_s
        self._versions: dict[str, dict[int, _Version]] = {name: {} for name in self._models}
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._on_change: Callable[[], None] = lambda: None
        self._missing: set[str] = set()
        self._thread = threading.Thread(target=self._look_again_and_again, name="model-store")

    def start(self, on_change: Callable[[], None]) -> None:
        """Begin to look for versions; `on_change` is called after each change of a state."""
        self._on_change = on_change
        self._thread.start()

    def begin_stop(self) -> None:
        """Be ready no more, and look for no more versions; what is loaded still answers."""
        self._stopping.set()

    def stop(self) -> None:
        """Drain and unload every version."""
        self.begin_stop()
        self._thread.join()
        for name in self._models:
            for number in list(self._versions[name]):
                self._unload(name, number)

    def is_ready(self) -> bool:
        """Whether every model has a version that takes requests."""
        with self._lock:
            return not self._stopping.is_set() and all(
                any(version.servable for version in versions.values())
                for versions in self._versions.values()
            )

    @contextlib.contextmanager
    def servable(
        self, name: str, version: int | None = None, label: str | None = None
    ) -> Iterator[Servable]:
        """The servable that a request names, which is not unloaded while the context is open.

        Raises:
            ServingError: there is none, in TensorFlow Serving's words.
        """
        with self._lock:
            servable = self._find(name, version, label)
            servable.enter()
        try:
            yield servable
        finally:
            servable.leave()

    def statuses(self, name: str, version: int | None = None) -> list[VersionStatus]:
        """The versions of a model, newest first.

        Raises:
            ServingError: NOT_FOUND, there is no such model or version.
        """
        with self._lock:
            known = [entry.status for entry in self._versions.get(name, {}).values()]
        if not known:
            raise ServingError(Fault.NOT_FOUND, f"Could not find any versions of model {name}")
        if version is not None:
            known = [status for status in known if status.version == version]
            if not known:
                raise ServingError(
                    Fault.NOT_FOUND, f"Could not find version {version} of model {name}"
                )
        return sorted(known, key=lambda status: -status.version)

    def names(self) -> list[str]:
        """The configured models, also those without a version yet."""
        return list(self._models)

    def _find(self, name: str, version: int | None, label: str | None) -> Servable:
        if label:
            version = self._models[name].labels.get(label) if name in self._models else None
            if version is None:
                raise ServingError(
                    Fault.INVALID_ARGUMENT, f"Unrecognized servable version label: {label}"
                )
        servables = {
            number: entry.servable
            for number, entry in self._versions.get(name, {}).items()
            if entry.servable is not None
        }
        wanted = max(servables, default=None) if version is None else version
        servable = servables.get(wanted) if wanted is not None else None
        if servable is None:
            request = f"Latest({name})" if version is None else f"Specific({name}, {version})"
            raise ServingError(Fault.NOT_FOUND, f"Servable not found for request: {request}")
        return servable

    def _look_again_and_again(self) -> None:
        while not self._stopping.is_set():
            for model in self._models.values():
                try:
                    self._look(model)
                except Exception:  # noqa: BLE001 - one model's trouble must not end the others'
                    _log.exception("looking for versions of model %s failed", model.name)
            if not self._poll_s:
                return
            self._stopping.wait(self._poll_s)

    def _look(self, model: ModelConfig) -> None:
        found = versions_on_disk(model.base_path)
        wanted = model.wanted_versions(found)
        if found:
            self._missing.discard(model.name)
        else:
            self._say_nothing_found(model)
        for number in reversed(wanted):
            if self._is_to_be_loaded(model.name, number, found[number]):
                self._load_version(model.name, number, found[number])
        self._retire(model.name, wanted, is_folder_empty=not found)

    def _is_to_be_loaded(self, name: str, number: int, folder: Path) -> bool:
        known = self._versions[name].get(number)
        if known is None:
            return True
        if known.servable is not None:
            return False
        return known.failed_files is None or known.failed_files != fingerprint(folder)

    def _load_version(self, name: str, number: int, folder: Path) -> None:
        entry = _Version(VersionStatus(version=number, state=State.START))
        with self._lock:
            self._versions[name][number] = entry
        files = fingerprint(folder)
        self._move(entry, State.LOADING)
        try:
            servable = self._load(name, number, folder)
        except ServingError as error:
            _log.error("model %s version %d cannot be loaded: %s", name, number, error)
            self._end_failed(entry, files, error)
            return
        except Exception:  # noqa: BLE001 - a bug must not leave the version LOADING for ever
            _log.exception("model %s version %d cannot be loaded", name, number)
            bug = ServingError(Fault.INTERNAL, "loading failed by a bug: see the server's log")
            self._end_failed(entry, files, bug)
            return
        with self._lock:
            entry.servable = servable
        self._move(entry, State.AVAILABLE)
        _log.info("model %s version %d is AVAILABLE", name, number)

    def _end_failed(self, entry: _Version, files: object, error: ServingError) -> None:
        entry.failed_files = files
        self._move(entry, State.END, error)

    def _retire(self, name: str, wanted: Sequence[int], *, is_folder_empty: bool) -> None:
        """Unload what is wanted no more, once what replaces it can answer."""
        serving = {number for number, entry in self._versions[name].items() if entry.servable}
        if is_folder_empty or serving.intersection(wanted):
            for number in serving.difference(wanted):
                self._unload(name, number)

    def _unload(self, name: str, number: int) -> None:
        entry = self._versions[name][number]
        with self._lock:
            servable, entry.servable = entry.servable, None
        if servable is None:
            return
        self._move(entry, State.UNLOADING)
        servable.close(self._drain_s)
        self._move(entry, State.END)
        _log.info("model %s version %d is unloaded", name, number)

    def _move(self, entry: _Version, state: State, error: ServingError | None = None) -> None:
        with self._lock:
            entry.status = replace(entry.status, state=state, error=error)
        self._on_change()

    def _say_nothing_found(self, model: ModelConfig) -> None:
        """Log it once, not at each look."""
        if model.name in self._missing:
            return
        self._missing.add(model.name)
        if model.base_path.is_dir():
            _log.warning(
                "No versions of servable %s found under base path %s. Did you forget to name "
                "your leaf directory as a number (eg. '/1/')?",
                model.name,
                model.base_path,
            )
        else:
            _log.warning("Could not find base path %s for servable %s", model.base_path, model.name)
