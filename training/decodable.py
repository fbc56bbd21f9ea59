"""Which photos can be decoded, found out before training by the decoder that training uses."""

import os
import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import tensorflow as tf

from graphmode.photo import decode_photo
from training.photo_folder import Photo

# TensorFlow frames its reason: "{{function_node ...}} REASON [Op:DecodeImage] name: ".
_FRAME = re.compile(r"\{\{.*?\}\}|\]? \[Op:.*|assertion failed: \[")


@dataclass(frozen=True)
class SkippedPhoto:
    """A file that no network will see, and why."""

    photo: Photo
    reason: str


def sort_out(photos: Iterable[Photo]) -> tuple[tuple[Photo, ...], tuple[SkippedPhoto, ...]]:
    """Try every photo, on all cores.

    Returns:
        Those that can be decoded and those that cannot, each in the order given.
    """
    photos = tuple(photos)
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        reasons = list(threads.map(_reason_to_skip, photos))
    tried = tuple(zip(photos, reasons, strict=True))
    return (
        tuple(photo for photo, reason in tried if reason is None),
        tuple(SkippedPhoto(photo, reason) for photo, reason in tried if reason is not None),
    )


def _reason_to_skip(photo: Photo) -> str | None:
    try:
        decode_photo(tf.constant(photo.path.read_bytes()))
    except tf.errors.InvalidArgumentError as error:
        return _FRAME.sub("", error.message).strip() or "not a photo"
    except OSError as error:
        return error.strerror or "not readable"
    return None
