"""Weights of torchvision's ResNet-18 as the start of a training.

    conv1.weight [64,3,7,7]            ->  stem_conv/kernel [7,7,3,64]
    bn1.{weight,bias,running_*}        ->  stem_bn/{gamma,beta,moving_*}
    layer2.0.downsample.0.weight       ->  stage2_block1_shortcut_conv/kernel
    fc.{weight,bias}                   ->  logits/{kernel,bias}, where the classes are as many

The file is .npz or .safetensors with the names of torchvision's state dict. A .pth is turned into
one where PyTorch is installed: `python -m training.init_weights resnet18.pth resnet18.npz`.
"""

import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.atomic_file import replacing
from training.errors import TrainingError

Tensors = Mapping[str, NDArray[Any]]

_NORM = {
    "weight": "gamma",
    "bias": "beta",
    "running_mean": "moving_mean",
    "running_var": "moving_variance",
}
# RuntimeError is zipfile's for an archive that is encrypted or of an unknown compression.
_UNREADABLE = (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error)
_HEAD = {"fc.weight": ("logits", "kernel"), "fc.bias": ("logits", "bias")}


def load_init_weights(path: Path, model: Any) -> str:  # noqa: ANN401 - a Keras model
    """Set a `resnet18`'s variables from a file; nothing is set unless all fit.

    Args:
        path: .npz or .safetensors with the names and shapes of torchvision's state dict.
        model: from `training.network.resnet18`, with any classes.

    Returns:
        What was taken, in a sentence.

    Raises:
        TrainingError: the file cannot be read, or tensors are missing, unknown or of other shapes.
    """
    if model.name != "resnet18":
        raise TrainingError(f"init_weights are for --network resnet18, not {model.name}")
    tensors = {
        name: values
        for name, values in _read(path).items()
        if not name.endswith("num_batches_tracked")
    }
    wanted = dict(_torchvision_names())
    head_fits = (
        "fc.bias" in tensors and tensors["fc.bias"].shape == model.get_layer("logits").bias.shape
    )
    if not head_fits:
        wanted = {name: place for name, place in wanted.items() if name not in _HEAD}
        tensors = {name: values for name, values in tensors.items() if name not in _HEAD}
    _require_same_names(path, wanted.keys(), tensors.keys())
    _require_floats(path, tensors)
    values = {name: _in_keras_order(tensors[name]).astype(np.float32) for name in wanted}
    variables = {
        name: getattr(model.get_layer(layer), variable)
        for name, (layer, variable) in wanted.items()
    }
    for name, variable in variables.items():
        if values[name].shape != tuple(variable.shape):
            raise TrainingError(
                f"{path}: {name} has the shape {list(tensors[name].shape)}, "
                f"{variable.path} needs {list(variable.shape)}"
            )
    for name, variable in variables.items():
        variable.assign(values[name])
    head = "with its last layer" if head_fits else "but its last layer, which starts anew"
    return f"starting from {path}, {head}"


def convert(source: Path, target: Path) -> None:
    """Write a PyTorch state dict as .npz; needs PyTorch, which reads no code from the file.

    Raises:
        TrainingError: PyTorch is missing, or the file is no state dict.
    """
    try:
        import torch  # noqa: PLC0415 - in an environment of its own
    except ImportError as error:
        raise TrainingError(
            "converting needs PyTorch, in an environment of its own: pip install torch numpy"
        ) from error
    try:
        state = torch.load(source, map_location="cpu", weights_only=True)
        values = {name: tensor.float().numpy() for name, tensor in state.items()}
    except Exception as error:
        raise TrainingError(
            f"{source}: not a PyTorch state dict ({type(error).__name__})"
        ) from error
    with replacing(target) as beside, beside.open("wb") as file:
        np.savez(file, allow_pickle=False, **values)


def _torchvision_names() -> Iterator[tuple[str, tuple[str, str]]]:
    """Each name of the state dict, with our layer and its variable."""
    yield from _convolution("conv1", "bn1", "stem")
    for stage in range(1, 5):
        for block in range(2):
            theirs, ours = f"layer{stage}.{block}", f"stage{stage}_block{block + 1}"
            yield from _convolution(f"{theirs}.conv1", f"{theirs}.bn1", f"{ours}_1")
            yield from _convolution(f"{theirs}.conv2", f"{theirs}.bn2", f"{ours}_2")
            if stage > 1 and block == 0:
                down = f"{theirs}.downsample"
                yield from _convolution(f"{down}.0", f"{down}.1", f"{ours}_shortcut")
    yield from _HEAD.items()


def _convolution(conv: str, norm: str, ours: str) -> Iterator[tuple[str, tuple[str, str]]]:
    yield f"{conv}.weight", (f"{ours}_conv", "kernel")
    for theirs, variable in _NORM.items():
        yield f"{norm}.{theirs}", (f"{ours}_bn", variable)


def _in_keras_order(values: NDArray[Any]) -> NDArray[Any]:
    """Output, input, height, width -> height, width, input, output; and a matrix transposed."""
    axes = {4: (2, 3, 1, 0), 2: (1, 0)}.get(values.ndim)
    return values if axes is None else values.transpose(axes)


def _require_same_names(path: Path, wanted: Any, found: Any) -> None:  # noqa: ANN401 - key views
    missing, unknown = sorted(wanted - found), sorted(found - wanted)
    faults = [
        f"{word} {', '.join(names[:3])}{f' and {len(names) - 3} more' if len(names) > 3 else ''}"
        for word, names in (("lacks", missing), ("has besides", unknown))
        if names
    ]
    if faults:
        raise TrainingError(
            f"{path}: not the tensors of torchvision's resnet18: it {'; it '.join(faults)}"
        )


def _require_floats(path: Path, tensors: Tensors) -> None:
    for name, values in tensors.items():
        # bfloat16 is NumPy's by an extension, which is of no kind.
        if values.dtype.kind != "f" and values.dtype.name != "bfloat16":
            raise TrainingError(f"{path}: {name} holds {values.dtype}, not floating-point numbers")


def _read(path: Path) -> Tensors:
    if path.suffix in (".pth", ".pt", ".bin"):
        raise TrainingError(
            f"{path}: a PyTorch file; where PyTorch is installed, turn it into one to read here: "
            f"python -m training.init_weights {path} {path.with_suffix('.npz')}"
        )
    if path.suffix not in (".npz", ".safetensors"):
        raise TrainingError(f"{path}: init_weights must be .npz or .safetensors")
    try:
        return _read_npz(path) if path.suffix == ".npz" else _read_safetensors(path)
    except FileNotFoundError as error:
        raise TrainingError(f"{path}: no such file") from error
    except _UNREADABLE as error:
        raise TrainingError(f"{path}: damaged, or not a {path.suffix} file: {error}") from error


def _read_npz(path: Path) -> Tensors:
    with path.open("rb") as file, zipfile.ZipFile(file) as archive:
        members = archive.namelist()
    strange = [name for name in members if not name.endswith(".npy")]
    if strange:
        raise ValueError(f"{strange[0]} in it is no array")
    with path.open("rb") as file, np.load(file) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _read_safetensors(path: Path) -> Tensors:
    import safetensors  # noqa: PLC0415 - few trainings need it
    from safetensors.numpy import load_file  # noqa: PLC0415

    try:
        return load_file(path)
    except safetensors.SafetensorError as error:
        raise ValueError(str(error)) from error


def main(arguments: list[str]) -> int:
    """Convert a file, as the module says; gives the exit code."""
    if len(arguments) != 2 or not arguments[1].endswith(".npz"):
        print("usage: python -m training.init_weights SOURCE.pth TARGET.npz", file=sys.stderr)
        return 2
    try:
        convert(Path(arguments[0]), Path(arguments[1]))
    except TrainingError as error:
        print(f"init_weights: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
