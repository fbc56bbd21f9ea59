"""The image's scaling, x * scale + offset, moved into the first convolution.

Its weights take the scale, its bias the offset. The zeros that it pads the scaled image with are
then pixels of the colour -offset / scale: of the mean, where the scaling is a normalisation.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from export import operations
from export.errors import ExportError
from export.folding import FoldedLayer
from export.int8.kernels import Geometry
from export.weights import FloatArray

_READ = {
    "Rescaling": operations.rescaling_scale_and_offset,
    "Normalization": operations.normalization_scale_and_offset,
}


@dataclass(frozen=True, kw_only=True)
class Scaling:
    """Of an image in 0..1, for each of its three channels."""

    scale: FloatArray
    """`[3]`."""
    offset: FloatArray
    """`[3]`."""

    def moved_into(self, kernel: FloatArray, bias: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Kernel `[h,w,3,out]` and bias `[out]` that take the image unscaled."""
        by_input = (3, 1)  # against the kernel's last two axes
        shift = (kernel * self.offset.reshape(by_input)).sum(axis=(0, 1, 2))
        return kernel * self.scale.reshape(by_input), bias + shift


@dataclass(frozen=True, kw_only=True)
class Border:
    """Pixels around the image, in place of the first convolution's padding."""

    colour: npt.NDArray[np.uint8]
    """`[3]`."""
    rows: tuple[int, int]
    """How many above and below."""
    columns: tuple[int, int]

    def around(self, pixels: tf.Tensor) -> tf.Tensor:
        """Uint8 `[B,h,w,3]`, larger by the border."""
        for axis, (before, after) in ((1, self.rows), (2, self.columns)):
            shape = tf.shape(pixels)
            sides = [
                tf.broadcast_to(self.colour, tf.concat([shape[:axis], [n], shape[axis + 1 :]], 0))
                for n in (before, after)
            ]
            pixels = tf.concat([sides[0], pixels, sides[1]], axis)
        return pixels


def scaling_of(layers: tuple[FoldedLayer, ...]) -> Scaling:
    """One scaling that does what Rescaling and Normalization layers do one after another."""
    scale, offset = np.ones(3), np.zeros(3)
    for layer in layers:
        more_scale, more_offset = (
            np.broadcast_to(np.ravel(value).astype(np.float64), 3)
            for value in _READ[layer.kind](layer.layer)
        )
        scale, offset = scale * more_scale, offset * more_scale + more_offset
    return Scaling(scale=scale.astype(np.float32), offset=offset.astype(np.float32))


def bordered(
    first: FoldedLayer, geometry: Geometry, scaling: Scaling, size: int
) -> tuple[Border, Geometry]:
    """The border that replaces the padding of the first convolution, and that one without it.

    Raises:
        ExportError: no pixel has the colour of the border.
    """
    rows, columns = _padding(first, geometry, size)
    colour = np.rint(-scaling.offset / scaling.scale * 255)
    if (rows, columns) == ((0, 0), (0, 0)):
        colour = np.zeros(3)
    if colour.min() < 0 or colour.max() > 255:
        raise ExportError(
            f"int8: {first.name} pads the scaled image with zeros, which would be pixels of "
            f"{colour.tolist()}; expected a normalisation whose mean lies within 0..1"
        )
    unpadded = Geometry(strides=geometry.strides, dilations=geometry.dilations, padding="VALID")
    return Border(colour=colour.astype(np.uint8), rows=rows, columns=columns), unpadded


def _padding(
    layer: FoldedLayer, geometry: Geometry, size: int
) -> tuple[tuple[int, int], tuple[int, int]]:
    if geometry.padding == "EXPLICIT":
        above, below, left, right = geometry.explicit[2:6]
        return (above, below), (left, right)
    if geometry.padding == "VALID":
        return (0, 0), (0, 0)
    settings = zip(
        layer.layer.get_config()["kernel_size"], geometry.strides, geometry.dilations, strict=True
    )
    rows, columns = (_same(size, *one) for one in settings)
    return rows, columns


def _same(size: int, kernel: int, stride: int, dilation: int) -> tuple[int, int]:
    """TensorFlow's SAME: so many zeros that `ceil(size / stride)` results come out."""
    results = -(-size // stride)
    zeros = max((results - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
    return zeros // 2, zeros - zeros // 2
