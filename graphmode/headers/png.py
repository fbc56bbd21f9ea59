r"""A PNG's header.

89 "PNG" 0D 0A 1A 0A | 00 00 00 0D "IHDR" width 4, height 4, .. | .. | 00 00 00 00 "IEND" crc 4
"""

import tensorflow as tf

from graphmode.headers.header import Header, contains, first_flaw, numbers

_END = b"IEND\xaeB`\x82"


def png_header(encoded: tf.Tensor, head: tf.Tensor) -> Header:
    """Read a PNG's header."""
    has_header = tf.equal(tf.strings.substr(head, 8, 8), b"\0\0\0\rIHDR")
    width, height = numbers(head, 16, tf.int32, 2, low_first=False)
    flaw = first_flaw([(~has_header, "without a header"), (~contains(encoded, _END), "cut short")])
    return Header(encoded, tf.stack([height, width]), flaw)
