"""Tells addresses of this machine from others, so that load goes nowhere by accident."""

import ipaddress
from urllib.parse import urlsplit

from loadtest.errors import LoadTestError


def is_loopback(address: str) -> bool:
    """Whether an address (`http://host:port`, `host:port` or `host`) is this machine's own."""
    try:
        host = urlsplit(address if "//" in address else f"//{address}").hostname or ""
    except ValueError:
        return False
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def require_loopback(address: str) -> None:
    """Refuses an address that is not this machine's.

    Raises:
        LoadTestError: Naming the address and the option that allows it.
    """
    if not is_loopback(address):
        raise LoadTestError(
            f"{address} is not this machine: give --allow-other-hosts if you mean it"
        )
