"""ResNet-18 weights out of a seed, with torchvision's names and shapes, and the logits they give.

Run where PyTorch and torchvision are, this prints torchvision's logits as JSON; with an argument it
also saves the weights there, as PyTorch does. torchvision_logits.json is such a print.
"""

import json
import sys

import numpy as np

_STAGES = (64, 128, 256, 512)


def state_dict(classes=5, seed=7):
    """Weights of a sensible size, and batch norm statistics that are no identity."""
    rng = np.random.default_rng(seed)
    state = {}

    def convolution(conv, norm, outputs, inputs, kernel):
        shape = (outputs, inputs, kernel, kernel)
        deviation = np.sqrt(2 / (inputs * kernel**2))
        state[f"{conv}.weight"] = rng.normal(0, deviation, shape).astype(np.float32)
        for name, low, high in (
            ("weight", 0.5, 1.0),
            ("bias", -0.2, 0.2),
            ("running_mean", -0.3, 0.3),
            ("running_var", 0.5, 2.0),
        ):
            state[f"{norm}.{name}"] = rng.uniform(low, high, outputs).astype(np.float32)
        state[f"{norm}.num_batches_tracked"] = np.array(3, np.int64)

    convolution("conv1", "bn1", 64, 3, 7)
    inputs = 64
    for stage, outputs in enumerate(_STAGES, 1):
        for block in range(2):
            name = f"layer{stage}.{block}"
            convolution(f"{name}.conv1", f"{name}.bn1", outputs, inputs, 3)
            convolution(f"{name}.conv2", f"{name}.bn2", outputs, outputs, 3)
            if inputs != outputs:
                convolution(f"{name}.downsample.0", f"{name}.downsample.1", outputs, inputs, 1)
            inputs = outputs
    state["fc.weight"] = rng.normal(0, 0.05, (classes, 512)).astype(np.float32)
    state["fc.bias"] = rng.uniform(-1, 1, classes).astype(np.float32)
    return state


def images(size, rows=2):
    """Float32 [rows, size, size, 3] in 0..1."""
    return np.random.default_rng(size).random((rows, size, size, 3), np.float32)


def torchvision_logits():
    """Let torchvision compute: logits by image size."""
    import torch  # noqa: PLC0415
    import torchvision  # noqa: PLC0415

    state = {name: torch.from_numpy(values) for name, values in state_dict().items()}
    if len(sys.argv) > 1:
        torch.save(state, sys.argv[1])
    model = torchvision.models.resnet18(num_classes=5)
    model.load_state_dict(state)
    model.eval()
    mean, deviation = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])
    logits = {}
    with torch.no_grad():
        for size in (224, 160, 97):
            normal = ((images(size) - mean) / deviation).transpose(0, 3, 1, 2)
            logits[size] = model(torch.from_numpy(np.ascontiguousarray(normal))).tolist()
    return {"torchvision": torchvision.__version__, "logits": logits}


if __name__ == "__main__":
    print(json.dumps(torchvision_logits(), indent=1))
