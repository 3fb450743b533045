"""The line on stderr that shows how far a long run is."""

from __future__ import annotations

import sys
from contextlib import suppress
from time import monotonic
from typing import Self

_PATIENCE = 1.0
"""Seconds before the line is first shown."""

_PACE = 0.1
"""Seconds between two states of it."""


class Progress:
    """Shows how many files are done; a context manager that leaves a clean line. Silent unless stderr is a terminal."""

    def __init__(self, total: int) -> None:
        """Start counting the seconds."""
        self._total = total
        self._due = monotonic() + _PATIENCE
        self._is_shown = False
        self._is_wanted = sys.stderr.isatty()

    def __enter__(self) -> Self:
        """Nothing to show yet."""
        return self

    def __call__(self, done: int) -> None:
        """Take note of the number of files done."""
        if self._is_wanted and monotonic() >= self._due:
            self._write(f"\r\x1b[Kchecking: {done:,} of {self._total:,} scripts")
            self._is_shown = True
            self._due = monotonic() + _PACE

    def __exit__(self, *_: object) -> None:
        """Clear the line."""
        if self._is_shown:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        with suppress(OSError):  # a report is worth more than its progress
            sys.stderr.write(text)
            sys.stderr.flush()
