"""With torchvision's weights our network gives torchvision's logits; other files are refused."""

import json
import os
import runpy
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from training.__main__ import main
from training.errors import TrainingError
from training.init_weights import load_init_weights
from training.init_weights import main as convert
from training.network import logits_of, resnet18, tiny

HERE = Path(__file__).parent
REFERENCE = runpy.run_path(str(HERE / "torchvision_reference.py"))
state_dict, images = REFERENCE["state_dict"], REFERENCE["images"]


@pytest.fixture(scope="module")
def npz(tmp_path_factory):
    path = tmp_path_factory.mktemp("weights") / "resnet18.npz"
    np.savez(path, **state_dict())
    return path


def assert_logits(model, recorded):
    for size, logits in recorded["logits"].items():
        ours = logits_of(model)(images(int(size)))
        np.testing.assert_allclose(ours, logits, atol=1e-4, err_msg=f"{size} pixels")


def test_our_network_gives_torchvisions_logits(npz):
    model = resnet18(5, image_size=None)
    assert load_init_weights(npz, model) == f"starting from {npz}, with its last layer"
    assert_logits(model, json.loads((HERE / "torchvision_logits.json").read_text()))


def test_torchvision_itself_gives_them(tmp_path):
    python = os.environ.get("GRAPHSERVE_TORCH_PYTHON")
    if not python:
        pytest.skip("GRAPHSERVE_TORCH_PYTHON names no Python with torch and torchvision")
    saved, converted = tmp_path / "resnet18.pth", tmp_path / "resnet18.npz"
    recorded = json.loads(
        subprocess.check_output([python, HERE / "torchvision_reference.py", saved])
    )
    subprocess.check_call(
        [python, "-m", "training.init_weights", saved, converted], cwd=HERE.parents[1]
    )
    model = resnet18(5, image_size=None)
    load_init_weights(converted, model)
    assert_logits(model, recorded)


def test_safetensors_hold_the_same(npz, tmp_path):
    save_file(state_dict(), tmp_path / "resnet18.safetensors")
    first, second = resnet18(5), resnet18(5)
    load_init_weights(npz, first)
    load_init_weights(tmp_path / "resnet18.safetensors", second)
    for ours, theirs in zip(first.get_weights(), second.get_weights(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_other_classes_keep_the_new_last_layer(npz):
    model = resnet18(2)
    before = model.get_layer("logits").kernel.numpy()
    assert "but its last layer" in load_init_weights(npz, model)
    np.testing.assert_array_equal(model.get_layer("logits").kernel.numpy(), before)
    stem = state_dict()["conv1.weight"].transpose(2, 3, 1, 0)
    np.testing.assert_array_equal(model.get_layer("stem_conv").kernel.numpy(), stem)


def without(state, name):
    return {key: values for key, values in state.items() if key != name}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (lambda s: without(s, "bn1.bias"), "it lacks bn1.bias"),
        (lambda s: s | {"layer5.0": s["fc.bias"]}, "it has besides layer5.0"),
        (
            lambda s: s | {"bn1.bias": s["fc.bias"]},
            r"bn1.bias has the shape \[5\], stem_bn/beta needs \[64\]",
        ),
        (lambda s: s | {"bn1.bias": np.full(64, "0")}, "bn1.bias holds <U1, not floating-point"),
        (lambda s: s | {"bn1.bias": s["bn1.bias"] * 1j}, "bn1.bias holds complex64, not floating"),
    ],
)
def test_weights_that_do_not_fit_are_named_and_nothing_is_set(changed, message, tmp_path):
    np.savez(tmp_path / "other.npz", **changed(state_dict()))
    model = resnet18(5)
    before = model.get_weights()
    with pytest.raises(TrainingError, match=message):
        load_init_weights(tmp_path / "other.npz", model)
    for then, now in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(then, now)


@pytest.mark.parametrize("suffix", [".npz", ".safetensors"])
def test_a_file_cut_short_is_damaged(suffix, npz, tmp_path):
    path = tmp_path / f"cut{suffix}"
    save_file(state_dict(), path) if suffix == ".safetensors" else path.write_bytes(
        npz.read_bytes()
    )
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(TrainingError, match=f"cut{suffix}: damaged"):
        load_init_weights(path, resnet18(5))


def test_a_compressed_file_with_rotten_bytes_is_damaged(tmp_path):
    path = tmp_path / "rotten.npz"
    np.savez_compressed(path, **state_dict())
    content = bytearray(path.read_bytes())
    content[2_000_000:2_000_100] = bytes(100)
    path.write_bytes(content)
    with pytest.raises(TrainingError, match=r"rotten.npz: damaged"):
        load_init_weights(path, resnet18(5))


def test_one_array_under_an_archives_name_is_no_npz(tmp_path):
    with (tmp_path / "array.npz").open("wb") as file:
        np.save(file, np.zeros(5))
    with pytest.raises(TrainingError, match=r"array.npz: damaged, or not a .npz file"):
        load_init_weights(tmp_path / "array.npz", resnet18(5))


def test_a_text_among_the_arrays_is_named(tmp_path):
    with zipfile.ZipFile(tmp_path / "text.npz", "w") as archive:
        archive.writestr("fc.bias", "five numbers")
    with pytest.raises(TrainingError, match=r"text.npz: damaged.*fc.bias in it is no array"):
        load_init_weights(tmp_path / "text.npz", resnet18(5))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.npz", "none.npz: no such file"),
        ("resnet18.pth", r"turn it into one .* training.init_weights .*resnet18.pth .*npz"),
        ("resnet18.h5", "must be .npz or .safetensors"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_what_to_do(name, message, tmp_path):
    with pytest.raises(TrainingError, match=message):
        load_init_weights(tmp_path / name, resnet18(5))


def test_the_miniature_takes_no_weights(npz):
    with pytest.raises(TrainingError, match="init_weights are for --network resnet18, not tiny"):
        load_init_weights(npz, tiny(2))


def test_converting_says_what_it_needs(tmp_path, capsys):
    assert convert(["weights.pth"]) == 2
    assert "usage: python -m training.init_weights" in capsys.readouterr().err
    assert convert([str(tmp_path / "weights.pth"), str(tmp_path / "weights.npz")]) == 2
    assert "init_weights: " in capsys.readouterr().err
    assert not (tmp_path / "weights.npz").exists()


def test_a_training_starts_from_them(npz, photos_dir, tmp_path, capsys):
    flags = [
        "--preset", "quick", "--data", str(photos_dir), "--run_dir", str(tmp_path / "run"),
        "--course", "32x1", "--image_size", "32", "--init_weights", str(npz),
    ]  # fmt: skip
    assert main(flags) == 0
    assert f"starting from {npz}, but its last layer" in capsys.readouterr().err
