import base64
import io
import socket
import threading

import pytest
from PIL import Image


@pytest.fixture
def batching(start, models, tmp_path):
    """Starts a server of one model whose batches are as the text says."""

    def start_batching(name, text):
        file = tmp_path / "batching.txt"
        file.write_text(f"num_batch_threads {{ value: 1 }} {text}")
        return start(
            f"--model_name={name}",
            f"--model_base_path={models / name}",
            "--enable_batching=true",
            f"--batching_parameters_file={file}",
        ).wait_until_ready()

    return start_batching


def ask_at_once(server, path, bodies):
    """The answers to several requests that are in flight together."""
    answers = [None] * len(bodies)

    def ask(index):
        answers[index] = server.ask(path, bodies[index])

    askers = [threading.Thread(target=ask, args=(index,)) for index in range(len(bodies))]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    return answers


def wait_for_requests_inside(server, count):
    line = f'serving_requests_in_flight{{model_name="scale"}} {count}'
    server.wait_until(
        lambda: line in server.ask("/monitoring/prometheus/metrics")[1], f"{count} being inside"
    )


MINUTE = "batch_timeout_micros { value: 60000000 }"


def test_concurrent_requests_share_a_batch_and_each_gets_its_own_rows(batching):
    server = batching(
        "scale", f"max_batch_size {{ value: 4 }} {MINUTE} allowed_batch_sizes: [2, 4]"
    )
    bodies = [{"instances": [float(number)]} for number in range(4)]
    # Four rows fill the batch: had they not met in it, each would have waited a minute.
    answers = ask_at_once(server, "/v1/models/scale:predict", bodies)
    assert answers == [(200, {"predictions": [3.0 * number]}) for number in range(4)]


def test_more_rows_than_a_batch_may_have_are_refused(batching):
    server = batching("scale", f"max_batch_size {{ value: 4 }} {MINUTE}")
    status, body = server.ask("/v1/models/scale:predict", {"instances": [1.0] * 5})
    assert (status, body) == (
        400,
        {"error": "Task size 5 is larger than maximum input batch size 4"},
    )


def test_a_request_without_rows_is_answered(batching):
    server = batching("scale", f"max_batch_size {{ value: 4 }} {MINUTE}")
    assert server.ask("/v1/models/scale:predict", {"inputs": []}) == (200, {"outputs": []})


def test_a_failing_request_fails_alone(batching):
    server = batching("strings", f"max_batch_size {{ value: 2 }} {MINUTE}")
    file = io.BytesIO()
    Image.new("RGB", (3, 2)).save(file, "JPEG")
    photos = [file.getvalue(), b"this is no photo"]
    bodies = [
        {"signature_name": "pixels", "instances": [{"b64": base64.b64encode(photo).decode()}]}
        for photo in photos
    ]
    good, bad = ask_at_once(server, "/v1/models/strings:predict", bodies)
    assert good == (200, {"predictions": [[2, 3, 3]]})
    assert bad[0] == 400
    assert "Unknown image file format" in bad[1]["error"]


def test_a_full_queue_is_refused_at_once(batching):
    server = batching(
        "scale",
        "max_batch_size { value: 4 } max_enqueued_batches { value: 1 }"
        " batch_timeout_micros { value: 2000000 }",
    )
    # Three rows leave no room for three more, and no second batch may wait: one of the two goes.
    bodies = [{"instances": [1.0] * 3}] * 2
    answers = ask_at_once(server, "/v1/models/scale:predict", bodies)
    (_, answered), (status, body) = sorted(answers, key=lambda answer: answer[0])
    assert answered == {"predictions": [3.0] * 3}
    assert status == 503
    assert body["error"] == (
        "The batch scheduling queue to which this task was submitted is full; currently 1 "
        "batches enqueued and max_enqueued_batches is 1"
    )


def test_a_client_that_left_does_not_trouble_the_others_in_its_batch(batching):
    server = batching("scale", f"max_batch_size {{ value: 2 }} {MINUTE}")
    body = b'{"instances": [1.0]}'
    with socket.create_connection(("127.0.0.1", server.rest_port)) as gone:
        head = f"POST /v1/models/scale:predict HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}"
        gone.sendall(head.encode() + b"\r\n\r\n" + body)
        wait_for_requests_inside(server, 1)
    reply = server.ask("/v1/models/scale:predict", {"instances": [2.0]})
    assert reply == (200, {"predictions": [6.0]})
    wait_for_requests_inside(server, 0)
