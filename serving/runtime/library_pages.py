"""The pages of TensorFlow's library that only its start needed, given back to the system.

Opening the library runs thousands of registrations all over its gigabyte, and the pages of code
and constants that they touch (some 290 MB) stay mapped although serving needs a tenth of them. The
kernel may drop such clean pages of a file at any time; asking it to do so costs nothing but
reading the few that are needed again, from its own file cache.
"""

import ctypes
import re
import sys
from collections.abc import Iterator
from pathlib import Path

_MADV_DONTNEED = 4  # linux/mman.h
_HEADER = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S{4}) .*/libtensorflow[^/]*")


def give_back_library_pages() -> int:
    """Unmap the untouched pages of TensorFlow's libraries; returns how many bytes were resident.

    Only mappings of the file itself: what relocation has written to is left alone. Does nothing
    where there is no /proc, as on macOS.
    """
    if sys.platform != "linux":
        return 0
    libc = ctypes.CDLL(None)
    libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    given_back = 0
    for start, length, resident in _clean_mappings(Path("/proc/self/smaps").read_text()):
        if libc.madvise(start, length, _MADV_DONTNEED) == 0:
            given_back += resident
    return given_back


def _clean_mappings(smaps: str) -> Iterator[tuple[int, int, int]]:
    """Start, length and resident bytes of each unwritten mapping of a TensorFlow library."""
    for block in re.split(r"\n(?=[0-9a-f]+-[0-9a-f]+ )", smaps):
        header = _HEADER.match(block)
        if header is None or "w" in header[3]:
            continue
        sizes = dict(re.findall(r"^(\w+): +(\d+) kB$", block, flags=re.MULTILINE))
        if int(sizes["Anonymous"]) == 0:
            start, end = int(header[1], 16), int(header[2], 16)
            yield start, end - start, int(sizes["Rss"]) << 10
