"""TLS from TensorFlow Serving's ssl_config_file: one certificate for gRPC and for REST."""

import os
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import grpc

from serving.config.text_protos import new_message, read_text_proto
from serving.errors import StartError


@dataclass(frozen=True, kw_only=True)
class Tls:
    """A server's key and certificates, each as the text of a PEM file."""

    server_key: str = field(repr=False)
    server_cert: str
    custom_ca: str = ""
    """Who signs the clients' certificates; empty for the system's authorities."""

    client_verify: bool = False
    """Mutual TLS: refuse clients without a certificate."""

    def grpc_credentials(self) -> grpc.ServerCredentials:
        """What gRPC listens with."""
        return grpc.ssl_server_credentials(
            [(self.server_key.encode(), self.server_cert.encode())],
            root_certificates=self.custom_ca.encode() or None,
            require_client_auth=self.client_verify,
        )

    def ssl_context(self) -> ssl.SSLContext:
        """What REST listens with.

        Raises:
            ssl.SSLError: the key or a certificate is damaged, or they do not belong together.
        """
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cadata=self.custom_ca or None)
        if self.client_verify:
            context.verify_mode = ssl.CERT_REQUIRED
        with _as_file(self.server_cert) as certificate, _as_file(self.server_key) as key:
            context.load_cert_chain(certificate, key, password=lambda: "")
        return context


def read_tls(path: str) -> Tls | None:
    """The TLS that the file asks for; None where `path` is empty.

    Raises:
        StartError: the file does not parse, or its key and certificates are of no use.
    """
    if not path:
        return None
    message = read_text_proto(Path(path), new_message("SSLConfig"))
    for name in ("server_key", "server_cert"):
        if not getattr(message, name):
            raise StartError(
                f"{path} has no {name}: expected the text of a PEM file, lines joined by \\n"
            )
    if message.client_verify and not message.custom_ca:
        raise StartError(
            f"{path} sets client_verify without custom_ca: give the certificate of the authority "
            "that signs your clients"
        )
    tls = Tls(
        server_key=message.server_key,
        server_cert=message.server_cert,
        custom_ca=message.custom_ca,
        client_verify=message.client_verify,
    )
    try:
        tls.ssl_context()
    except (ssl.SSLError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise StartError(
            f"{path}: server_key, server_cert or custom_ca is not PEM, or the key is not the "
            f"certificate's ({reason})"
        ) from error
    return tls


@contextmanager
def _as_file(text: str) -> Iterator[str]:
    """A path from which `text` can be read once: OpenSSL takes no text, and no disk gets a key."""
    reading, writing = os.pipe()

    def write() -> None:
        with os.fdopen(writing, "w") as file:
            file.write(text)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield f"/dev/fd/{reading}"
    finally:
        os.close(reading)
        writer.join()
