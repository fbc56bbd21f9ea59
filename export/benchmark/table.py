"""One table of figures: all models, measured in the same rounds on the same cores."""

from collections.abc import Mapping
from dataclasses import dataclass

from export.benchmark.spread import Spread, spread

CORES = {"all": "all cores", "1": "one core"}
IMAGES = {1: "one image", 8: "eight images"}
"""What a reader calls them."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """What was measured of one model."""

    name: str
    disk_bytes: int

    loaded_bytes: int
    """Memory of its process once the model is loaded."""
    used_bytes: int
    """The same after the first requests, of one image and of eight."""

    first_s: Mapping[int, float]
    """How long those took, by their images."""
    round_s: Mapping[int, tuple[float, ...]]
    """By images of a request: the median latency of each round."""

    largest_difference: float
    """From eager Keras, in probability, on the compared photos."""
    same_label: float
    """Share of the photos whose most probable class is the one of eager Keras."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows in order, the first of them the baseline."""

    cores: str
    """`all` or `1`."""
    nothing_bytes: int
    """Memory of a process that only imported TensorFlow."""
    compared_photos: int
    rows: tuple[Row, ...]

    def row(self, name: str) -> Row | None:
        """The row of that name; None where it was not measured."""
        return next((row for row in self.rows if row.name == name), None)


def times_as_fast(row: Row, other: Row, images: int) -> Spread:
    """How many times as fast a row answers as another, within each round."""
    pairs = zip(other.round_s[images], row.round_s[images], strict=True)
    return spread([slow / fast for slow, fast in pairs])
