import base64
import gzip
import json

import pytest

PHOTO_TEXT = base64.b64encode(b"this is no photo").decode()


def refused(server, path, body, status=400):
    got, answer = server.ask(path, body)
    assert got == status
    assert list(answer) == ["error"]
    return answer["error"]


def test_rows_in_and_out(server):
    assert server.ask("/v1/models/scale:predict", {"instances": [1.0, 2.0]}) == (
        200,
        {"predictions": [3.0, 6.0]},
    )


def test_columns_in_and_out(server):
    body = {"inputs": {"a": [[1.0, 2.0]], "b": [[3.0, 4.0]]}}
    assert server.ask("/v1/models/multi:predict", body) == (
        200,
        {"outputs": {"sum": [[4.0, 6.0]], "diff": [[-2.0, -2.0]]}},
    )


def test_a_version_and_a_label_choose_the_version(server):
    body = {"instances": [1.0]}
    assert server.ask("/v1/models/scale/versions/1:predict", body)[1] == {"predictions": [1.0]}
    assert server.ask("/v1/models/scale/labels/stable:predict", body)[1] == {"predictions": [2.0]}


def test_bytes_go_both_ways_as_base64(server):
    encoded = base64.b64encode(b"\x00\xffabc").decode()
    body = {"inputs": [{"b64": encoded}]}
    reply = server.ask("/v1/models/strings:predict", {"instances": [{"b64": "YWJj"}]})
    assert reply == (
        200,
        {"predictions": [{"upper": "ABC", "length": 3, "echo_bytes": {"b64": "YWJj"}}]},
    )
    assert server.ask("/v1/models/dtypes:predict", {"signature_name": "float32", **body})[0] == 400


def test_a_gzip_body_is_inflated(server):
    body = gzip.compress(json.dumps({"instances": [2.0]}).encode())
    reply = server.ask("/v1/models/scale:predict", body, headers={"Content-Encoding": "gzip"})
    assert reply == (200, {"predictions": [6.0]})


def test_not_a_number_and_infinity_are_given_back(server):
    body = b'{"instances": [NaN, Infinity, -Infinity, 1e39]}'
    status, answer = server.ask("/v1/models/scale:predict", body)
    assert status == 200
    assert repr(answer["predictions"]) == "[nan, inf, -inf, inf]"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "The document is empty"),
        (b"hello", "Invalid value. at offset: 0"),
        (b'{"instances": [1.0, 2.0', "Missing a comma or ']' after an array element."),
        (b'{"instances": [1.0] "x": 1}', "Missing a comma or '}' after an object member."),
        (b"[" * 200_000, "JSON Parse error"),
        (b'{"instances": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "JSON Parse error"),
    ],
)
def test_broken_json_is_refused(server, body, reason):
    assert reason in refused(server, "/v1/models/scale:predict", body)


def test_a_wrong_rank_is_refused_by_name(server):
    error = refused(server, "/v1/models/scale:predict", {"instances": [[1.0], [2.0]]})
    assert error == (
        'input "x" of signature "serving_default" has shape [2, 1], expected [?] of float'
    )


def test_a_wrong_size_is_refused_by_name(server):
    body = {"inputs": {"a": [[1.0, 2.0, 3.0]], "b": [[1.0, 2.0]]}}
    error = refused(server, "/v1/models/multi:predict", body)
    assert 'input "a" of signature "serving_default" has shape [1, 3], expected [?, 2]' in error


def test_a_wrong_dtype_is_refused(server):
    error = refused(server, "/v1/models/scale:predict", {"instances": ["one"]})
    assert 'JSON Value: "one" Type: String is not of expected type: float' in error


def test_bad_base64_is_refused(server):
    error = refused(server, "/v1/models/strings:predict", {"instances": [{"b64": "@@@"}]})
    assert "Failed to process element: 0" in error
    assert "Unable to base64 decode" in error


def test_text_as_a_photo_is_refused(server):
    body = {"signature_name": "pixels", "instances": [{"b64": PHOTO_TEXT}]}
    error = refused(server, "/v1/models/strings:predict", body)
    assert "Unknown image file format" in error


def test_an_empty_batch_is_refused_as_rows_and_answered_as_a_column(server):
    assert "No values in 'instances'" in refused(
        server, "/v1/models/scale:predict", {"instances": []}
    )
    assert server.ask("/v1/models/scale:predict", {"inputs": []}) == (200, {"outputs": []})


def test_a_body_over_the_limit_is_refused_and_the_server_lives(server):
    body = b'{"instances": [' + b"1.0," * 13_000_000 + b"1.0]}"
    error = refused(server, "/v1/models/scale:predict", body, status=413)
    assert "larger than 1048576 bytes (--rest_api_max_body_mb)" in error
    bomb = gzip.compress(bytes(50_000_000))
    headers = {"Content-Encoding": "gzip"}
    assert server.ask("/v1/models/scale:predict", bomb, headers=headers)[0] == 413
    assert server.ask("/v1/models/scale:predict", {"instances": [1.0]})[0] == 200


def test_an_unknown_model_version_label_or_signature_is_named(server):
    body = {"instances": [1.0]}
    assert refused(server, "/v1/models/nope:predict", body, 404) == (
        "Servable not found for request: Latest(nope)"
    )
    assert refused(server, "/v1/models/scale/versions/9:predict", body, 404) == (
        "Servable not found for request: Specific(scale, 9)"
    )
    assert refused(server, "/v1/models/scale/labels/nope:predict", body) == (
        "Unrecognized servable version label: nope"
    )
    assert refused(server, "/v1/models/scale:predict", {**body, "signature_name": "nope"}) == (
        'Serving signature name: "nope" not found in signature def'
    )


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/models/scale:predict"),
        ("DELETE", "/v1/models/scale"),
        ("POST", "/v1/models/scale"),
        ("GET", "/v1/models/scale/versions/abc"),
        ("GET", "/v1/models/"),
    ],
)
def test_a_malformed_path_is_refused(server, method, path):
    status, answer = server.ask(path, b"" if method == "POST" else None, method=method)
    assert (status, answer) == (400, {"error": f"Malformed request: {method} {path}"})


def test_what_is_outside_the_api_is_not_found(server):
    assert server.ask("/")[0] == 404
    assert server.ask("/v1x")[0] == 404


def test_metadata_names_inputs_and_outputs(server):
    status, answer = server.ask("/v1/models/multi/metadata")
    assert status == 200
    assert answer["model_spec"] == {"name": "multi", "version": "7", "signature_name": ""}
    definitions = answer["metadata"]["signature_def"]["signature_def"]
    assert definitions["serving_default"]["inputs"]["a"]["dtype"] == "DT_FLOAT"


def test_every_model_is_listed_with_its_versions(server):
    status, answer = server.ask("/models")
    assert status == 200
    listed = {entry["name"]: entry["versions"] for entry in answer["models"]}
    assert [version["version"] for version in listed["scale"]] == [3, 2, 1]
    assert listed["multi"][0]["state"] == "AVAILABLE"


def test_alive_and_ready(server):
    assert server.ask("/healthz") == (200, "ok\n")
    assert server.ask("/readyz") == (200, "ready\n")
