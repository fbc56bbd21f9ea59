"""The photos that are sent: the user's own JPEG files, or pictures drawn for the purpose."""

import hashlib
import io
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from loadtest.errors import LoadTestError

SENT = 32
_SIZE = (500, 375)  # width, height in pixels: the median of the cats and dogs photos
_SUFFIXES = {".jpg", ".jpeg"}


def read_photos(folder: Path, limit: int = SENT) -> list[bytes]:
    """The bytes of decodable JPEG files, spread evenly over a folder tree in order of name.

    Raises:
        LoadTestError: The folder is missing or holds no JPEG photo.
    """
    if not folder.is_dir():
        raise LoadTestError(f"photos: no folder {folder}")
    paths = sorted(p for p in folder.rglob("*") if p.suffix.lower() in _SUFFIXES)
    stride = max(1, len(paths) // limit)
    ordered = paths[::stride] + [p for i, p in enumerate(paths) if i % stride]
    photos: list[bytes] = []
    for path in ordered:
        photo = path.read_bytes()
        if _is_jpeg(photo):
            photos.append(photo)
        if len(photos) == limit:
            break
    if not photos:
        raise LoadTestError(f"photos: no JPEG photo under {folder}")
    return photos


def draw_photos(seed: int, count: int = SENT) -> list[bytes]:
    """JPEG pictures of random shapes under noise, as large as a photo and as slow to decode."""
    random = np.random.default_rng(seed)
    return [_draw_photo(random) for _ in range(count)]


def digest_of(photos: list[bytes]) -> str:
    """SHA-256 over all photos in order, to tell whether two comparisons sent the same bytes."""
    return hashlib.sha256(b"".join(photos)).hexdigest()


def _is_jpeg(photo: bytes) -> bool:
    try:
        with Image.open(io.BytesIO(photo), formats=["JPEG"]) as image:
            image.load()
    except (OSError, SyntaxError, ValueError, Warning, Image.DecompressionBombError):
        return False
    return True


def _draw_photo(random: np.random.Generator) -> bytes:
    width, height = _SIZE
    image = Image.new("RGB", _SIZE, _color(random))
    draw = ImageDraw.Draw(image)
    for _ in range(12):
        x, y = int(random.integers(0, width)), int(random.integers(0, height))
        radius = int(random.integers(15, 120))
        draw.ellipse((x - radius, y - radius, x + radius, y + radius // 2), fill=_color(random))
    noise = random.normal(0, 12, (height, width, 3))
    pixels = np.clip(np.asarray(image, np.float32) + noise, 0, 255).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=75)
    return file.getvalue()


def _color(random: np.random.Generator) -> tuple[int, int, int]:
    red, green, blue = (int(value) for value in random.integers(30, 226, 3))
    return red, green, blue
