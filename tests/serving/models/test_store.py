"""The states of versions, with a loader written by hand in TensorFlow's place."""

import threading

import pytest

from serving.errors import Fault, ServingError
from serving.models.config import ModelConfig
from serving.models.store import ModelStore, State


class Loaded:
    """A servable as the store sees it."""

    def __init__(self, version):
        self.version = version
        self.closed = False

    def enter(self):
        """Nothing to count here."""

    def leave(self):
        """Nothing to count here."""

    def close(self, _drain_s):
        self.closed = True


class Store:
    """A store over a folder, which tells each change of a state."""

    def __init__(self, folder, load=None, **config):
        self.loaded = {}
        self._load = load or Loaded
        self._changed = threading.Condition()
        model = ModelConfig(name="m", base_path=folder, **config)
        self.store = ModelStore([model], self._loader, poll_s=0.02, drain_s=1)
        self.store.start(self._tell)

    def _loader(self, _name, version, _folder):
        self.loaded[version] = self._load(version)
        return self.loaded[version]

    def _tell(self):
        with self._changed:
            self._changed.notify_all()

    def states(self):
        try:
            return {status.version: status.state for status in self.store.statuses("m")}
        except ServingError:
            return {}

    def wait_for(self, states):
        with self._changed:
            assert self._changed.wait_for(lambda: self.states() == states, 10), self.states()


@pytest.fixture
def start():
    started = []

    def start_store(*arguments, **config):
        started.append(Store(*arguments, **config))
        return started[-1]

    yield start_store
    for one in started:
        one.store.stop()


def served(store, **spec):
    with store.store.servable("m", **spec) as servable:
        return servable.version


def test_the_newest_version_is_served_and_others_are_left_alone(start, tmp_path):
    for name in ("1", "007", "notes", "2.partial"):
        (tmp_path / name).mkdir()
    store = start(tmp_path)
    store.wait_for({7: State.AVAILABLE})
    assert served(store) == 7


def test_a_policy_of_all_or_specific_versions_serves_them_side_by_side(start, tmp_path):
    for name in ("1", "2", "3"):
        (tmp_path / name).mkdir()
    every = start(tmp_path, latest=0, labels={"stable": 1})
    every.wait_for(dict.fromkeys((1, 2, 3), State.AVAILABLE))
    assert (served(every), served(every, version=2), served(every, label="stable")) == (3, 2, 1)
    some = start(tmp_path, specific=frozenset({1, 2}))
    some.wait_for(dict.fromkeys((1, 2), State.AVAILABLE))
    assert served(some) == 2


def test_removing_the_newest_version_rolls_back(start, tmp_path):
    (tmp_path / "1").mkdir()
    store = start(tmp_path)
    store.wait_for({1: State.AVAILABLE})
    (tmp_path / "2").mkdir()
    store.wait_for({1: State.END, 2: State.AVAILABLE})
    assert store.loaded[1].closed
    (tmp_path / "2").rmdir()
    store.wait_for({1: State.AVAILABLE, 2: State.END})
    assert served(store) == 1


def test_removing_every_version_unloads_the_model(start, tmp_path):
    (tmp_path / "1").mkdir()
    store = start(tmp_path)
    store.wait_for({1: State.AVAILABLE})
    (tmp_path / "1").rmdir()
    store.wait_for({1: State.END})
    assert not store.store.is_ready()
    with pytest.raises(ServingError, match=r"Servable not found for request: Latest\(m\)"):
        served(store)


@pytest.mark.parametrize(
    ("raised", "fault"),
    [
        (ServingError(Fault.DATA_LOSS, "cut"), Fault.DATA_LOSS),
        (ZeroDivisionError(), Fault.INTERNAL),
    ],
    ids=["a refusal", "a bug"],
)
def test_a_version_that_fails_ends_once_and_is_tried_again_when_its_files_change(
    start, tmp_path, raised, fault
):
    attempts = []

    def load(version):
        attempts.append(version)
        if version == 2 and len(attempts) < 3:
            raise raised
        return Loaded(version)

    (tmp_path / "1").mkdir()
    store = start(tmp_path, load)
    store.wait_for({1: State.AVAILABLE})
    (tmp_path / "2").mkdir()
    store.wait_for({1: State.AVAILABLE, 2: State.END})
    assert store.store.statuses("m", 2)[0].error.fault is fault
    assert served(store) == 1
    (tmp_path / "2" / "saved_model.pb").touch()
    store.wait_for({1: State.END, 2: State.AVAILABLE})
    assert attempts == [1, 2, 2]


def test_a_stopped_store_is_not_ready_and_its_versions_have_ended(start, tmp_path):
    (tmp_path / "1").mkdir()
    store = start(tmp_path)
    store.wait_for({1: State.AVAILABLE})
    assert store.store.is_ready()
    store.store.stop()
    assert not store.store.is_ready()
    assert store.states() == {1: State.END}
