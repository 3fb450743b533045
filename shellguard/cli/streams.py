"""Standard output and standard error that are written whole, or fail.

Unbuffered (`python -u`, PYTHONUNBUFFERED), Python's own streams drop what a short write leaves over; and when a
standard stream is closed, the next file that is opened gets its number and everything that is printed.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

    from _typeshed import ReadableBuffer


_STDOUT, _STDERR = 1, 2


class _PatientFile(io.FileIO):
    """A file whose writes wait for room where the file itself wouldn't (a pipe that somebody set non-blocking)."""

    def write(self, data: ReadableBuffer) -> int:
        """Write some of the data, and give the number of bytes."""
        while (written := super().write(data)) is None:
            from select import select  # hardly ever needed

            select((), (self,), ())
        return written


def prepare_standard_streams() -> None:
    """Make standard output and standard error write everything; a closed one refuses what is written to it."""
    for descriptor in range(3):
        _occupy(descriptor)
    sys.stdout = _whole(sys.stdout, _STDOUT)
    sys.stderr = _whole(sys.stderr, _STDERR)


def abandon(stream: TextIO) -> None:
    """Let what is written to a stream, and what is still in its buffer, vanish: it would only fail again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        stream.flush()


def _occupy(descriptor: int) -> None:
    """Put a file at a descriptor if that is free; it can't be written to."""
    try:
        os.fstat(descriptor)
    except OSError:
        os.open(os.devnull, os.O_RDONLY)  # gets the lowest free number


def _whole(stream: TextIO | None, descriptor: int) -> TextIO:
    """A stream that writes to the same place as `stream` does; None stands for a closed one."""
    if stream is None:
        return _patient(descriptor, "utf-8", "backslashreplace", is_lively=False)
    try:
        number = stream.fileno()
    except OSError:  # a stream in memory has nothing to mend
        return stream
    is_lively = descriptor == _STDERR or stream.isatty()
    # What the encoding lacks is no reason to fail: a report in Latin-1 is better than none.
    errors = "backslashreplace" if stream.errors in {None, "strict"} else stream.errors
    return _patient(number, stream.encoding, errors, is_lively=is_lively)


def _patient(descriptor: int, encoding: str, errors: str, *, is_lively: bool) -> TextIO:
    file = io.BufferedWriter(_PatientFile(descriptor, "w", closefd=False))
    return io.TextIOWrapper(file, encoding=encoding, errors=errors, line_buffering=is_lively)
