"""REST requests that no client should send: each gets a proper answer, and the server lives.

SERVING_FUZZ_REQUESTS=20000 asks more than the few hundred of the default run.
"""

import base64
import contextlib
import gzip
import json
import os
import socket
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from serving.rest_api.app import STATUS_CODES

REQUESTS = int(os.environ.get("SERVING_FUZZ_REQUESTS", "2000")) // 2
GOLDEN = Path(__file__).parents[1] / "conformance" / "golden.jsonl"
# 500 is a bug; 413 and 431 are bounds of ours.
PROPER = set(STATUS_CODES.values()) - {500} | {200, 413, 431}
FUZZED = settings(
    max_examples=REQUESTS,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


class KeptConnection:
    """Sends raw bytes over one kept-alive connection; a new one once the server has closed it."""

    def __init__(self, port):
        self._port = port
        self._file = None

    def ask(self, raw):
        """Status and body of the answer; None where the connection is closed without one."""
        if self._file is None:
            with socket.create_connection(("127.0.0.1", self._port), timeout=30) as connection:
                self._file = connection.makefile("rwb")
        with contextlib.suppress(ConnectionError):
            self._file.write(raw)
            self._file.flush()
            if answer := self._read():
                return answer
        self.close()
        return None

    def close(self):
        """Let the connection go."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
            self._file = None

    def _read(self):
        head = self._file.readline()
        if not head:
            return None
        headers = {}
        while (line := self._file.readline().strip()) != b"":
            name, _, value = line.partition(b":")
            headers[name.lower()] = value.strip()
        body = self._file.read(int(headers.get(b"content-length", 0)))
        if headers.get(b"connection", b"").lower() == b"close":
            self.close()
        return int(head.split()[1]), body


@pytest.fixture(scope="module")
def asked(unchecked_server):
    """Sends raw bytes to the server, whose TensorFlow sees every shape."""
    connection = KeptConnection(unchecked_server.rest_port)
    yield connection.ask
    connection.close()


@pytest.fixture(autouse=True)
def _still_well(unchecked_server):
    yield
    answer = unchecked_server.ask("/v1/models/scale:predict", {"instances": [1.0, 2.0]})
    assert answer == (200, {"predictions": [3.0, 6.0]})


def post(path, body, *headers):
    lines = [f"POST {path} HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def assert_proper(answer):
    assert answer is not None
    status, body = answer
    assert status in PROPER, answer
    if status == 200:
        assert body.startswith((b"{", b"["))
    else:
        assert set(json.loads(body)) == {"error"}


def targets():
    """Paths of the small models, some with parts that are not there."""
    signed = [f"dtypes/versions/{version}" for version in (1, 2)]
    names = ["scale", "multi", "dtypes", "strings", "examples", "nobody", "scale/labels/stable"]
    return st.builds(
        "/v1/models/{}:{}".format,
        st.sampled_from(names + signed),
        st.sampled_from(["predict", "predict", "predict", "classify", "regress"]),
    )


def leaves():
    texts = st.text(max_size=8).map(json.dumps)
    return st.one_of(
        st.sampled_from(
            [
                "1", "-1", "0", "1.5", "1e39", "1e999", "-0", "NaN", "-Infinity", "null", "true",
                '"\\ud800"', '"\\u0000"', '{"b64": "AAA"}', '{"b64": "/9j/4AAQ"}', '{"b64": 1}',
                "9" * 30, "9" * 5000, "1e400000", "18446744073709551615", "0." + "1" * 400,
                "[]", "{}", "+1", "01", "'x'", "nul", "\\", "[[[]]]", '"\\x"', "\ufeff",
            ]
        ),
        texts,
        st.integers().map(str),
        st.floats().map(json.dumps),
    )  # fmt: skip


def containers(inside):
    aliases = st.sampled_from(
        ["x", "a", "b", "s", "image_bytes", "inputs", "instances", "examples", "\\ud800", "b64", ""]
    )
    lists = st.lists(inside, max_size=4).map(lambda items: "[" + ",".join(items) + "]")
    pairs = st.lists(st.tuples(aliases, inside), max_size=3)
    objects = pairs.map(lambda got: "{" + ",".join(f'"{key}":{item}' for key, item in got) + "}")
    deep = st.tuples(inside, st.integers(1, 1200)).map(lambda got: "[" * got[1] + got[0])
    closed = st.tuples(inside, st.sampled_from([20, 63, 64, 65, 254, 255, 256, 257, 900])).map(
        lambda got: "[" * got[1] + got[0] + "]" * got[1]
    )
    return st.one_of(lists, lists, objects, objects, deep, closed)


def documents():
    """JSON that nearly is a predict body."""
    signatures = st.sampled_from(
        [
            "serving_default", "double", "total", "ragged", "pixels", "classify", "regress",
            "float16", "bfloat16", "float64", "int8", "int64", "uint8", "uint16", "uint64", "bool",
            "string", "complex64", "nothing", "\\ud800",
        ]
    )  # fmt: skip
    key = st.sampled_from(["instances", "inputs", "examples"])
    return st.builds(
        '{{"signature_name":"{}","{}":{}}}'.format,
        signatures,
        key,
        st.recursive(leaves(), containers, max_leaves=12),
    )


def golden_bodies():
    """The bodies of the recorded REST cases."""
    cases = [json.loads(line)["request"] for line in GOLDEN.read_text().splitlines()]
    texts = [case.get("text") for case in cases]
    return st.sampled_from(sorted({text for text in texts if text and len(text) < 2000}))


def edited(body, edits):
    content = bytearray(body)
    for position, value, kind in edits:
        at = position % (len(content) + 1)
        if kind == "insert":
            content.insert(at, value)
        elif kind == "cut":
            del content[at : at + value % 8]
        elif at < len(content):
            content[at] = value
    return bytes(content)


EDITS = st.lists(
    st.tuples(
        st.integers(0, 2000), st.integers(0, 255), st.sampled_from(["insert", "cut", "change"])
    ),
    min_size=1,
    max_size=6,
)
BODIES = st.one_of(
    documents().map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.builds(edited, golden_bodies().map(str.encode), EDITS),
    st.builds(edited, documents().map(lambda text: text.encode("utf-8", "replace")), EDITS),
    st.binary(max_size=200),
    st.builds(lambda size, letter: letter * size, st.integers(0, 5000), st.sampled_from(b'[{"1-,').map(lambda n: bytes([n]))),  # noqa: E501
)  # fmt: skip


@FUZZED
@given(target=targets(), body=BODIES)
def test_every_body_gets_a_proper_answer(asked, target, body):
    assert_proper(asked(post(target, body)))


@settings(FUZZED, max_examples=REQUESTS // 4)
@given(target=targets(), body=BODIES, edits=EDITS, is_whole=st.booleans())
def test_every_gzip_body_gets_a_proper_answer(asked, target, body, edits, is_whole):
    packed = gzip.compress(body)
    sent = packed if is_whole else edited(packed, edits)
    assert_proper(asked(post(target, sent, "Content-Encoding: gzip")))


PATH_PARTS = st.one_of(
    st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=12),
    st.sampled_from(
        [
            "/v1/models", "/v1/", "scale", ":predict", "/versions/", "/labels/", "/metadata", "%00",
            "%0a", "%ff", "%", "..", "//", "?", "#", "9" * 20, "9" * 5000, "a" * 9000, ":", "/",
            "%2F", "%C3%28", "~", "\\", "http://x/v1/models/scale",
        ]
    ),
)  # fmt: skip


@settings(FUZZED, max_examples=REQUESTS // 4)
@given(
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]),
    parts=st.lists(PATH_PARTS, max_size=5),
)
def test_every_path_gets_a_proper_answer(asked, method, parts):
    path = "/v1/models/" + "".join(parts)
    answer = asked(f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{{}}".encode())
    assert answer is not None
    assert answer[0] in PROPER, answer


HEADER_BYTES = st.one_of(
    st.binary(max_size=60),
    st.sampled_from(
        [
            b"Content-Length: -1", b"Content-Length: 5, 5", b"Content-Length: 99999999999999999999",
            b"Transfer-Encoding: chunked", b"Transfer-Encoding: x", b"Expect: 100-continue",
            b"Connection: upgrade\r\nUpgrade: websocket", b"Upgrade: h2c", b": x", b"x", b" x: y",
            b"Host: \xff\x00", b"Content-Encoding: gzip, gzip", b"A: " + b"b" * 9000,
        ]
    ),
)  # fmt: skip


@settings(FUZZED, max_examples=REQUESTS // 4)
@given(headers=st.lists(HEADER_BYTES, max_size=4), body=st.binary(max_size=20))
def test_no_header_ends_the_server(unchecked_server, headers, body):
    lines = [b"POST /v1/models/scale:predict HTTP/1.1", *headers]
    address = ("127.0.0.1", unchecked_server.rest_port)
    with socket.create_connection(address, timeout=30) as connection:
        connection.sendall(b"\r\n".join(lines) + b"\r\n\r\n" + body)
        connection.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionError):
            answer = connection.recv(100)
            assert answer == b"" or int(answer.split()[1]) in PROPER | {100}, answer


def test_a_photo_that_is_none_is_refused(unchecked_server):
    rows = [{"b64": base64.b64encode(junk).decode()} for junk in (b"", b"\xff\xd8\xff", b"GIF89a")]
    for row in rows:
        body = {"signature_name": "pixels", "instances": [row]}
        assert unchecked_server.ask("/v1/models/strings:predict", body)[0] == 400
