"""A publisher that is killed at any step leaves the old state or the new one."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from export.config import ExportConfig
from export.forms import form_of
from export.publishing.listing import published
from export.publishing.models_folder import workspace
from serving.models.saved_model import check_complete

_KILLS = int(os.environ.get("GRAPHSERVE_EXPORT_KILLS", "2"))
"""How many exports are killed at random; more of them take a minute each."""

# Publishes a version of two files, and kills itself as the n-th change of the file system begins.
CHILD = """
import os, signal, sys
from pathlib import Path
from export.config import ExportConfig
from export.forms import form_of
from export.publishing.models_folder import publish, workspace

models_dir, last = Path(sys.argv[1]), int(sys.argv[2])
changes = 0

def counted(change):
    def wrapped(*arguments, **named):
        global changes
        changes += 1
        if changes == last:
            os.kill(os.getpid(), signal.SIGKILL)
        return change(*arguments, **named)
    return wrapped

for name in ("mkdir", "rename", "replace", "fsync", "unlink", "rmdir"):
    setattr(os, name, counted(getattr(os, name)))
form = form_of(ExportConfig(run_dir=models_dir, models_dir=models_dir, model_name="m"), "fp32")
with workspace(models_dir, "m") as folder:
    version = folder / "new"
    (version / "variables").mkdir(parents=True)
    (version / "saved_model.pb").write_bytes(b"graph")
    (version / "variables" / "variables.index").write_bytes(b"weights")
    publish(version, form)
"""


@pytest.fixture
def form(tmp_path):
    return form_of(ExportConfig(run_dir=tmp_path, models_dir=tmp_path, model_name="m"), "fp32")


def publish_one(models_dir, last):
    command = [sys.executable, "-c", CHILD, str(models_dir), str(last)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode in {0, -signal.SIGKILL}, ended.stderr
    return ended.returncode == 0


def is_whole(version):
    files = sorted(str(file.relative_to(version)) for file in version.rglob("*") if file.is_file())
    return files == ["saved_model.pb", "variables/variables.index"]


def test_killed_at_every_step_nobody_sees_half_a_version(form, tmp_path):
    step, is_done, versions = 0, False, 0
    while not is_done:
        step += 1
        is_done = publish_one(tmp_path, step)
        assert len(form.versions()) - versions in {0, 1}
        versions = len(form.versions())
        assert all(is_whole(form.folder / str(number)) for number in form.versions())
        labelled = (
            {row.version for row in published(tmp_path, None) if row.labels} if versions else ()
        )
        assert set(labelled) <= set(form.versions())
    assert step > 10
    assert versions > 1
    assert max(labelled) == versions
    assert not list(tmp_path.glob(".*-partial-*"))


def test_publishers_at_once_get_a_version_each(form, tmp_path):
    command = [sys.executable, "-c", CHILD, str(tmp_path), "0"]
    publishers = [subprocess.Popen(command) for _ in range(6)]
    assert [publisher.wait(60) for publisher in publishers] == [0] * 6
    assert form.versions() == [1, 2, 3, 4, 5, 6]
    assert all(is_whole(form.folder / str(number)) for number in form.versions())


def test_who_publishes_is_waited_for(form, tmp_path):
    holder = (
        "import sys, time; from pathlib import Path; "
        "from export.publishing.folder_lock import folder_lock\n"
        "with folder_lock(Path(sys.argv[1])): print(flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", holder, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holding:
        holding.stdout.readline()
        waiting = subprocess.Popen([sys.executable, "-c", CHILD, str(tmp_path), "0"])
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(1)
        assert form.versions() == []
        holding.stdin.close()
        assert waiting.wait(60) == 0
    assert form.versions() == [1]


@pytest.mark.slow
def test_an_export_killed_at_a_random_moment_leaves_only_whole_versions(run_dir, tmp_path, request):
    moments = random.Random(request.node.name)
    command = [
        *(sys.executable, "-m", "export", f"--run_dir={run_dir}", f"--models_dir={tmp_path}"),
        *("--model_name=small", "--fuzz_requests=50", "--precision=fp32", "--version"),
    ]
    took_s = 40.0
    for number in range(1, _KILLS + 1):
        began = time.monotonic()
        export = subprocess.Popen(
            [*command, str(number)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            export.wait(moments.uniform(0, took_s))
            took_s = time.monotonic() - began
        except subprocess.TimeoutExpired:
            export.kill()
            export.wait()
        for version in (tmp_path / "small").glob("*"):
            check_complete(version)
            assert json.loads((version / "export.json").read_text())["model"] == "small"
            assert (version / "assets.extra" / "tf_serving_warmup_requests").is_file()
    with workspace(tmp_path, "small") as folder:
        assert [entry.name for entry in tmp_path.glob(".small-partial-*")] == [folder.name]
