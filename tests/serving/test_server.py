import shutil
import socket
import subprocess
import sys
import threading

import psutil
import pytest

from serving.monitoring.metrics import LATENCY_BUCKETS_US


def flags(base_path, *more):
    return ["--model_name=scale", f"--model_base_path={base_path}", *more]


@pytest.fixture
def base_path(models, tmp_path):
    """A model folder of the test's own, holding version 1 of `scale`."""
    shutil.copytree(models / "scale" / "1", tmp_path / "scale" / "1")
    return tmp_path / "scale"


def publish(models, version, base_path):
    """Put a version in place as a careful publisher does: copied beside, renamed in."""
    beside = base_path.parent / f"copying-{version}"
    shutil.copytree(models / "scale" / str(version), beside)
    beside.rename(base_path / str(version))


def answer(server):
    return server.ask("/v1/models/scale:predict", {"instances": [1.0]})


def test_a_new_version_takes_over_and_the_old_one_ends(start, models, base_path):
    server = start(*flags(base_path)).wait_until_ready()
    assert answer(server) == (200, {"predictions": [1.0]})
    publish(models, 2, base_path)
    server.wait_until(
        lambda: server.states("scale") == {2: "AVAILABLE", 1: "END"}, "version 2 taking over"
    )
    assert answer(server) == (200, {"predictions": [2.0]})


def test_no_request_fails_while_versions_change(start, models, base_path):
    server = start(*flags(base_path)).wait_until_ready()
    answers, stop = [], threading.Event()

    def ask():
        while not stop.is_set():
            answers.append(answer(server))

    askers = [threading.Thread(target=ask) for _ in range(4)]
    for asker in askers:
        asker.start()
    for version in (2, 3):
        publish(models, version, base_path)
        server.wait_until(
            lambda wanted=version: server.states("scale").get(wanted) == "AVAILABLE", "swapping"
        )
    stop.set()
    for asker in askers:
        asker.join()
    assert {status for status, _ in answers} == {200}
    assert {body["predictions"][0] for _, body in answers} == {1.0, 2.0, 3.0}


@pytest.mark.parametrize("damage", ["cut", "empty", "no saved_model.pb"])
def test_a_corrupt_version_ends_with_its_error_and_the_old_one_serves_on(
    start, models, base_path, damage
):
    server = start(*flags(base_path)).wait_until_ready()
    if damage == "no saved_model.pb":
        (base_path / "2").mkdir()
    else:
        whole = (models / "scale" / "2" / "saved_model.pb").read_bytes()
        (base_path.parent / "2").mkdir()
        content = whole[: len(whole) // 2] if damage == "cut" else b""
        (base_path.parent / "2" / "saved_model.pb").write_bytes(content)
        (base_path.parent / "2").rename(base_path / "2")
    server.wait_until(lambda: server.states("scale").get(2) == "END", "version 2 being refused")
    assert server.states("scale") == {2: "END", 1: "AVAILABLE"}
    newest = server.ask("/v1/models/scale")[1]["model_version_status"][0]
    assert newest["status"]["error_code"] != "OK"
    assert newest["status"]["error_message"]
    assert answer(server) == (200, {"predictions": [1.0]})


def test_a_half_copied_version_waits_until_it_is_whole(start, models, tmp_path):
    """The variables of `examples` come after its graph, as when a folder is being copied."""
    source, target = models / "examples" / "1", tmp_path / "examples"
    shutil.copytree(source, target / "1")
    server = start("--model_name=examples", f"--model_base_path={target}").wait_until_ready()
    (target / "2").mkdir()
    shutil.copy(source / "saved_model.pb", target / "2")
    server.wait_until(lambda: server.states("examples").get(2) == "END", "version 2 being refused")
    assert server.states("examples")[1] == "AVAILABLE"
    newest = server.ask("/v1/models/examples")[1]["model_version_status"][0]
    assert "not completely copied" in newest["status"]["error_message"]
    body = {"instances": [[2.0]]}
    assert server.ask("/v1/models/examples:predict", body) == (200, {"predictions": [[3.0]]})
    shutil.copytree(source / "variables", target / "2" / "variables")
    server.wait_until(
        lambda: server.states("examples") == {2: "AVAILABLE", 1: "END"}, "version 2 healing"
    )


def test_requests_in_flight_are_answered_before_sigterm_ends_the_server(start, base_path):
    batching = base_path.parent / "batching.txt"
    batching.write_text(
        "max_batch_size { value: 8 } batch_timeout_micros { value: 1500000 }"
        " num_batch_threads { value: 1 }"
    )
    server = start(
        *flags(base_path, "--enable_batching", f"--batching_parameters_file={batching}")
    ).wait_until_ready()
    answers = []
    asker = threading.Thread(target=lambda: answers.append(answer(server)))
    asker.start()
    server.wait_until(
        lambda: (
            'in_flight{model_name="scale"} 1' in server.ask("/monitoring/prometheus/metrics")[1]
        ),
        "the request being inside",
    )
    code, log = server.stop()
    asker.join()
    assert answers == [(200, {"predictions": [1.0]})]
    assert code == 0
    assert "stopped" in log


def test_the_metrics_page_has_tensorflow_servings_names_labels_and_buckets(start, base_path):
    server = start(*flags(base_path)).wait_until_ready()
    answer(server)
    server.ask("/v1/models/nope:predict", {"instances": [1.0]})
    page = server.ask("/monitoring/prometheus/metrics")[1]
    lines = page.splitlines()
    assert "# TYPE :tensorflow:serving:request_count counter" in lines
    assert ':tensorflow:serving:request_count{model_name="scale",status="OK"} 1' in lines
    assert ':tensorflow:serving:request_count{model_name="nope",status="NOT_FOUND"} 1' in lines
    labels = 'model_name="scale",API="predict",entrypoint="REST"'
    start_of_bucket = f':tensorflow:serving:request_latency_bucket{{{labels},le="'
    bounds = [
        line.split('le="')[1].split('"')[0] for line in lines if line.startswith(start_of_bucket)
    ]
    assert bounds[:3] == ["10", "18", "32.4"]
    assert "1.27482e+06" in bounds
    assert len(bounds) == len(LATENCY_BUCKETS_US) + 1
    labels = 'model_name="scale",API="Predict",runtime="TF1"'
    assert f":tensorflow:serving:runtime_latency_count{{{labels}}} 1" in lines


def test_invented_model_names_neither_break_nor_flood_the_metrics_page(start, base_path):
    server = start(*flags(base_path)).wait_until_ready()
    for number in range(60):
        server.ask(f"/v1/models/a%0A%22b{number}:predict", {"instances": [1.0]})
    page = server.ask("/monitoring/prometheus/metrics")[1]
    counts = [line for line in page.splitlines() if "request_count{" in line]
    assert len(counts) < 40
    assert all(line.endswith(tuple("0123456789")) for line in counts)


def test_it_says_where_it_listens_and_that_is_loopback(start, base_path):
    server = start(*flags(base_path)).wait_until_ready()
    _, log = server.stop()
    assert f"gRPC on 127.0.0.1:{server.grpc_port}" in log
    assert f"REST on http://127.0.0.1:{server.rest_port}" in log


def refusal(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "serving", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 255
    return done.stderr


def test_a_port_in_use_is_named_with_its_process(base_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        error = refusal(*flags(base_path, "--port=0", f"--rest_api_port={port}"))
    assert f"cannot listen on 127.0.0.1:{port} (--rest_api_port)" in error
    assert "used by process" in error


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "model_base_path and server_options.model_config_file are empty!"),
        (["--nope=1"], "unknown argument: --nope=1"),
        (["--model_base_path=models"], "to have an absolute path"),
        (["--model_base_path=/m", "--enable_batching=maybe"], "Couldn't interpret value maybe"),
        (["--model_base_path=/m", "--port=eight"], "Couldn't interpret value eight for flag port"),
        (["--model_base_path=/m", "--port=99999"], "--port must be from 0 to 65535, got 99999"),
        (["--model_base_path=/m", "--batching_parameters_file=b"], "without setting"),
        (["--model_config_file=/nothere.txt"], "NOT_FOUND: /nothere.txt"),
    ],
)
def test_a_bad_flag_is_refused_in_words(arguments, reason):
    assert reason in refusal(*arguments)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("garbage", "Invalid protobuf file"),
        ("max_batch_size { value: 0 }", "max_batch_size must be at least 1, got 0"),
        ("batch_timeout_micros { value: -1 }", "batch_timeout_micros must be at least 0"),
        ("max_batch_size { value: 8 } allowed_batch_sizes: [2, 4]", "must match max_batch_size"),
    ],
)
def test_a_bad_batching_file_is_refused_in_words(tmp_path, base_path, text, reason):
    file = tmp_path / "batching.txt"
    file.write_text(text)
    arguments = flags(
        base_path, "--port=0", "--enable_batching", f"--batching_parameters_file={file}"
    )
    assert reason in refusal(*arguments)


def test_a_model_that_is_not_there_yet_is_waited_for(start, models, tmp_path):
    base_path = tmp_path / "scale"
    server = start(*flags(base_path))
    server.wait_until(lambda: server.ask("/healthz")[0] == 200, "being alive")
    assert server.ask("/readyz")[0] == 503
    assert answer(server)[0] == 404
    base_path.mkdir()
    publish(models, 1, base_path)
    server.wait_until_ready()
    assert answer(server) == (200, {"predictions": [1.0]})


@pytest.mark.skipif(sys.platform != "linux", reason="library pages are given back on Linux only")
def test_what_only_the_start_needed_of_tensorflows_library_is_given_back(start, base_path):
    """Kept, the library alone is 350 MB of the process; none of the needed pages may be lost."""
    server = start(*flags(base_path)).wait_until_ready()
    assert answer(server) == (200, {"predictions": [1.0]})
    assert psutil.Process(server.process.pid).memory_info().rss < 200 << 20


def test_the_process_holds_no_python_tensorflow():
    code = "import sys, serving.server; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "serving.runtime.tensorflow_library" in loaded
    assert not {"tensorflow", "keras", "tensorflow.python"}.intersection(loaded)
