import sys
from pathlib import Path

import pytest

from loadtest.targets import Target

FAKE_SERVER = Path(__file__).with_name("fake_server.py")
REPOSITORY = Path(__file__).parents[2]


def make_fake_target(name="eager-rest", *flags, precision="fp32"):
    """A target that the fake server plays, with any of the fake's flags."""

    def command(_config, address, _folder):
        ports = (f"--rest={address.rest_port}", f"--grpc={address.grpc_port}")
        return [sys.executable, str(FAKE_SERVER), *ports, *flags]

    return Target(
        name=name,
        server="flask" if name.startswith("eager") else "graphserve",
        execution="eager" if name.startswith("eager") else "saved_model",
        precision=precision,
        protocol=name.split("-")[-1],
        model_name="resnet18",
        command=command,
        needs=lambda config: config.run_dir,
    )


@pytest.fixture
def fake_target():
    """Makes targets that the fake server plays."""
    return make_fake_target


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch):
    """Servers and Locust import the packages of the folder that they are started in."""
    monkeypatch.chdir(REPOSITORY)
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
