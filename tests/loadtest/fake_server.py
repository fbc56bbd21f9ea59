"""A stand-in for the servers under test: their REST and gRPC predict calls over real sockets.

It answers with probabilities made of the photo's bytes, takes --service-ms for each request, one
at a time, and fails in the ways that its flags name.
"""

import argparse
import base64
import hashlib
import json
import sys
import threading
import time
from concurrent import futures
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import grpc

from loadtest.wire import PredictRequest, PredictResponse


class Model:
    """Answers one photo at a time."""

    def __init__(self, options):
        self.options = options
        self.lock = threading.Lock()
        self.count = 0

    def predict(self, photo):
        with self.lock:
            self.count += 1
            time.sleep(self.options.service_ms / 1000)
        cat = hashlib.sha256(photo).digest()[0] / 255 * 0.8 + self.options.skew
        return [cat, 1 - cat], "cat" if cat > 0.5 else "dog"

    def respond(self, photo):
        """The status and body of the REST answer."""
        probabilities, label = self.predict(photo)
        if self.count > self.options.failing_after:
            return 500, b'{"error": "failing as asked"}'
        if self.count > self.options.empty_after:
            return 200, b'{"predictions": []}'
        row = {"probabilities": probabilities, "label": label}
        return 200, json.dumps({"predictions": [row]}).encode()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


def rest_handler(model):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self):
            if self.path == "/readyz":
                self.answer(503 if model.options.never_ready else 200, b"ok")
            elif self.path == "/monitoring/prometheus/metrics":
                self.answer(200, b"# TYPE requests counter\nrequests 1\n")
            else:
                self.answer(404, b"")

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            photo = base64.b64decode(body["instances"][0]["b64"])
            self.answer(*model.respond(photo))

        def answer(self, status, body):
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler


def grpc_handler(model):
    def predict(raw, _context):
        photo = PredictRequest.FromString(raw).inputs["image_bytes"].string_val[0]
        probabilities, label = model.predict(photo)
        response = PredictResponse()
        response.outputs["probabilities"].float_val.extend(probabilities)
        response.outputs["label"].string_val.append(label.encode())
        return response.SerializeToString()

    return grpc.method_handlers_generic_handler(
        "tensorflow.serving.PredictionService",
        {"Predict": grpc.unary_unary_rpc_method_handler(predict)},
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rest", type=int)
    parser.add_argument("--grpc", type=int)
    parser.add_argument("--service-ms", type=float, default=4)
    parser.add_argument("--skew", type=float, default=0)
    parser.add_argument("--never-ready", action="store_true")
    parser.add_argument("--failing-after", type=float, default=float("inf"))
    parser.add_argument("--empty-after", type=float, default=float("inf"))
    parser.add_argument("--dying", action="store_true")
    options = parser.parse_args()
    if options.dying:
        sys.exit("the fake server dies as asked")
    model = Model(options)
    calls = grpc.server(futures.ThreadPoolExecutor(16))
    calls.add_generic_rpc_handlers((grpc_handler(model),))
    calls.add_insecure_port(f"127.0.0.1:{options.grpc}")
    calls.start()
    Server(("127.0.0.1", options.rest), rest_handler(model)).serve_forever()


if __name__ == "__main__":
    main()
