"""Source and generated code side by side: what was made from a line stands beside it.

AutoGraph writes more lines than it reads, and some in another order. So the generated lines are
the order, in blocks of one origin; the source goes along with them, each line once:

    4  if a > 0:      |  def if_body(): ...           made from line 4
    5      b = a      |      b = ag__.ld(a)           made from line 5
       (line 4)       |  ag__.if_stmt(...)            made from line 4 again
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graphmode.view.autograph import Generated
from graphmode.view.source import Source

Numbered = tuple[int, str]

_SCAFFOLDING = re.compile(
    r"\s*(nonlocal |(def )?[gs]et_state|def extra_test|.*= ag__\.Undefined|retval_ = ag__\.Und|"
    r"(do_return|continue_\w*|break_\w*) = (True|False)$|try:|except:|raise$|with ag__\.FunctionS)"
)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Lines of source, numbered as in the file, and the generated lines, numbered from 1."""

    origin: int | None
    """The source line that the generated ones were made from."""
    source: tuple[Numbered, ...]
    """Empty where the origin already stands beside an earlier block."""
    generated: tuple[Numbered, ...]


def pair_lines(source: Source, generated: Generated) -> tuple[Pair, ...]:
    """Pair every line of both, each once."""
    left = source.numbered
    blocks = list(_blocks(generated))
    pairs: list[Pair] = []
    for index, (origin, lines) in enumerate(blocks):
        # Up to where the next block begins: the rest of a statement and comments go along.
        later = [at for at, _ in blocks[index + 1 :] if at is not None and at > (origin or 0)]
        taken = [line for line in left if not later or line[0] < min(later)]
        left = left[len(taken) :]
        pairs.append(Pair(origin=origin, source=tuple(taken), generated=tuple(lines)))
    return tuple(pairs)


def is_scaffolding(text: str, origin: int | None) -> bool:
    """Whether a generated line only carries state around, and says nothing of the source."""
    return origin is None or _SCAFFOLDING.match(text) is not None


def _blocks(generated: Generated) -> Iterator[tuple[int | None, list[Numbered]]]:
    """Neighbouring lines of one origin; a line without one goes with the line before it."""
    block: list[Numbered] = []
    at: int | None = None
    for number, (text, origin) in enumerate(
        zip(generated.lines, generated.origins, strict=True), 1
    ):
        if block and origin is not None and origin != at:
            yield at, block
            block = []
        at = at if origin is None else origin
        block.append((number, text))
    yield at, block
