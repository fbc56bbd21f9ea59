import pytest

from loadtest.loopback import is_loopback


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1:8501", "127.0.0.1:8500", "localhost", "http://[::1]:8501", "127.8.9.1:1"],
)
def test_this_machine_is_loopback(address):
    assert is_loopback(address)


@pytest.mark.parametrize(
    "address",
    ["http://10.0.0.1:8501", "example.org", "http://127.0.0.1.example.org", "0.0.0.0:1", "", "//["],
)
def test_any_other_address_is_not(address):
    assert not is_loopback(address)
