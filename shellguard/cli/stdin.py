"""A script on standard input, read whole or not at all."""

from __future__ import annotations

import errno
import os
import sys

from shellguard.discovery import MAX_MEBIBYTES

STDIN_DESCRIPTOR = 0

STDIN_NAME = "<stdin>"
"""What standard input is called in messages."""

_MAX_BYTES = MAX_MEBIBYTES * 1024 * 1024
_CHUNK_BYTES = 1024 * 1024


def read_standard_input() -> bytes:
    """All of standard input, also if somebody set it non-blocking.

    Raises:
        OSError: it is closed, can't be read, or holds more than a script may.
    """
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed", STDIN_NAME)
    data = bytearray()
    while len(data) <= _MAX_BYTES:
        try:
            chunk = os.read(STDIN_DESCRIPTOR, _CHUNK_BYTES)
        except BlockingIOError:
            from select import select  # hardly ever needed

            select((STDIN_DESCRIPTOR,), (), ())
            continue
        if not chunk:
            return bytes(data)
        data += chunk
    raise OSError(errno.EFBIG, f"larger than {MAX_MEBIBYTES} MiB", STDIN_NAME)
