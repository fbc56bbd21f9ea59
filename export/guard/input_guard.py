"""One input of a signature, and what became of its guard."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["added", "present", "left"]


@dataclass(frozen=True, kw_only=True)
class InputGuard:
    """A line of the report."""

    tags: tuple[str, ...]
    """Of the MetaGraph."""

    signature: str
    alias: str
    """The input's name for clients."""

    tensor: str
    """`node:0`; empty for a sparse or composite input."""

    dtype: str
    shape: tuple[int | None, ...] | None
    """As the signature declares it, None for an open dimension; None where it has no rank."""

    verdict: Verdict
    """`added`: there is a guard now. `present`: there was one. `left`: there is none."""

    guard: tuple[int | None, ...] | None
    """What the guard lets through; None without a guard."""

    detail: str
    """Why there is none, or why it is looser than the signature; else empty."""


def shape_text(dims: tuple[int | None, ...] | None) -> str:
    """`[?,224,224,3]`."""
    if dims is None:
        return "any shape"
    return f"[{','.join('?' if dim is None else str(dim) for dim in dims)}]"
