"""Cartoon cats and dogs, drawn for trying the line out where no photos are given.

Each face has its own place, size, colours, background and noise; what tells the classes apart is
what does in life: cats have upright pointed ears, slit eyes and whiskers, dogs hanging ears, a
muzzle and a tongue. The nth cat and the nth dog share background and fur, so that neither tells.
A network that knows these cartoons knows nothing of photos.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from training.photo_folder import PhotoFolder, read_photo_folder

_SIDE = 256
_PHOTOS = {"train": 200, "validation": 50}
"""Photos of each class."""

Colour = tuple[int, int, int]


def drawn_photos(folder: Path, seed: int) -> PhotoFolder:
    """Draw 400 photos for training and 100 for validation into `folder`, if not yet there."""
    if not folder.is_dir():
        beside = folder.with_name(f".part-{folder.name}")
        shutil.rmtree(beside, ignore_errors=True)
        for split_number, (split, count) in enumerate(_PHOTOS.items()):
            for label, draw_face in (("cats", _draw_cat), ("dogs", _draw_dog)):
                class_dir = beside / split / label
                class_dir.mkdir(parents=True)
                for number in range(count):
                    rng = np.random.default_rng([seed, split_number, number])
                    _drawn(rng, draw_face).save(class_dir / f"{number:04d}.jpg", quality=85)
        beside.replace(folder)
    return read_photo_folder(folder)


class _Pen:
    """Draws in the face's own units: its centre is (0, 0), its radius 1."""

    def __init__(self, canvas: Image.Image, rng: np.random.Generator) -> None:
        self._draw = ImageDraw.Draw(canvas)
        self._radius = rng.uniform(0.2, 0.32) * _SIDE
        self._x, self._y = rng.uniform(0.38, 0.62, 2) * _SIDE
        self.fur = _colour(rng, 60, 240)
        self.ears = _colour(rng, 20, 120)

    def oval(self, x: float, y: float, width: float, height: float, colour: Colour) -> None:
        """Fill an ellipse about (x, y)."""
        corners = self._at((x - width, y - height), (x + width, y + height))
        self._draw.ellipse(corners, fill=colour)

    def polygon(self, *points: tuple[float, float], colour: Colour) -> None:
        """Fill a polygon."""
        self._draw.polygon(self._at(*points), fill=colour)

    def line(self, *points: tuple[float, float], colour: Colour) -> None:
        """Draw a line through the points."""
        self._draw.line(self._at(*points), fill=colour, width=2)

    def _at(self, *points: tuple[float, float]) -> list[tuple[float, float]]:
        return [(self._x + self._radius * x, self._y + self._radius * y) for x, y in points]


_BLACK: Colour = (20, 20, 20)
_PINK: Colour = (235, 130, 140)


def _draw_cat(pen: _Pen) -> None:
    for side in (-1, 1):
        pen.polygon((0.95 * side, -0.2), (0.8 * side, -1.5), (0.15 * side, -0.8), colour=pen.fur)
        pen.polygon((0.8 * side, -0.5), (0.74 * side, -1.2), (0.35 * side, -0.8), colour=_PINK)
    pen.oval(0, 0, 1, 0.9, pen.fur)
    for side in (-1, 1):
        pen.oval(0.4 * side, -0.15, 0.2, 0.18, (170, 210, 70))
        pen.oval(0.4 * side, -0.15, 0.05, 0.17, _BLACK)
        for slope in (-0.15, 0, 0.15):
            pen.line((0.2 * side, 0.35), (1.25 * side, 0.35 + slope), colour=_BLACK)
    pen.polygon((-0.12, 0.2), (0.12, 0.2), (0, 0.34), colour=_PINK)


def _draw_dog(pen: _Pen) -> None:
    pen.oval(0, 0, 0.85, 1, pen.fur)
    for side in (-1, 1):
        pen.oval(0.9 * side, 0.05, 0.28, 0.75, pen.ears)
        pen.oval(0.35 * side, -0.3, 0.14, 0.14, (250, 250, 250))
        pen.oval(0.35 * side, -0.3, 0.09, 0.09, _BLACK)
    pen.oval(0, 0.75, 0.16, 0.4, _PINK)
    pen.oval(0, 0.4, 0.48, 0.36, (240, 225, 205))
    pen.oval(0, 0.2, 0.2, 0.14, _BLACK)


def _drawn(rng: np.random.Generator, draw_face: Callable[[_Pen], None]) -> Image.Image:
    canvas = _background(rng)
    draw_face(_Pen(canvas, rng))
    pixels = np.asarray(canvas, np.float32)
    noisy = pixels + rng.normal(0, rng.uniform(2, 14), pixels.shape)
    return Image.fromarray(noisy.clip(0, 255).astype(np.uint8))


def _background(rng: np.random.Generator) -> Image.Image:
    """A colour gradient with a few blots of other colours."""
    corners = rng.integers(0, 256, (2, 2, 3), np.uint8)
    canvas = Image.fromarray(corners).resize((_SIDE, _SIDE), Image.Resampling.BILINEAR)
    draw = ImageDraw.Draw(canvas)
    for _ in range(rng.integers(0, 6)):
        x, y = rng.uniform(0, _SIDE, 2)
        radius = rng.uniform(8, 50)
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=_colour(rng, 0, 255))
    return canvas


def _colour(rng: np.random.Generator, low: int, high: int) -> Colour:
    red, green, blue = rng.integers(low, high + 1, 3)
    return int(red), int(green), int(blue)
