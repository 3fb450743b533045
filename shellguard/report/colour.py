"""When a report has colours, and how wide it is: the option, the environment, the stream."""

from __future__ import annotations

import os
import re
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from shellguard.report.style import Style

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_WIDTH = 80
"""Cells in a line when the output is no terminal and `COLUMNS` doesn't say."""

_WIDTH = re.compile("0{0,9}[1-9][0-9]{0,5}")
"""A width that can be meant; Python refuses to read numbers of thousands of digits."""


class ColourChoice(StrEnum):
    """The values of `--color`."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class OutputStream(Protocol):
    """What is asked of a stream that a report goes to; `sys.stdout` is one."""

    @property
    def encoding(self) -> str | None:
        """The name of its encoding."""

    def isatty(self) -> bool:
        """Whether it is a terminal."""

    def fileno(self) -> int:
        """Its file descriptor; raises OSError when it has none."""


def detect_style(
    stream: OutputStream, environ: Mapping[str, str], *, choice: ColourChoice = ColourChoice.AUTO
) -> Style:
    """The style that suits a stream, with everything shown."""
    return Style(
        colour=wants_colour(choice, environ, is_terminal=stream.isatty()),
        width=line_width(stream, environ),
        unicode=is_unicode(stream.encoding),
    )


def wants_colour(choice: ColourChoice, environ: Mapping[str, str], *, is_terminal: bool) -> bool:
    """Whether to colour. What comes first decides: the option, NO_COLOR, FORCE_COLOR, TERM=dumb, a terminal.

    NO_COLOR counts when it isn't empty (no-color.org); FORCE_COLOR likewise, and `FORCE_COLOR=0` turns colours off.
    """
    if choice is not ColourChoice.AUTO:
        return choice is ColourChoice.ALWAYS
    if environ.get("NO_COLOR"):
        return False
    if forced := environ.get("FORCE_COLOR"):
        return forced.lower() not in {"0", "false"}
    return is_terminal and environ.get("TERM") != "dumb"


def line_width(stream: OutputStream, environ: Mapping[str, str]) -> int:
    """Cells in a line: `COLUMNS`, else the terminal's own, else 80."""
    if _WIDTH.fullmatch(columns := environ.get("COLUMNS", "")):
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns or DEFAULT_WIDTH
    except (OSError, ValueError):  # a pipe or file; or a closed or captured stream, which has no descriptor
        return DEFAULT_WIDTH


def is_unicode(encoding: str | None) -> bool:
    """Whether an encoding can write every character."""
    return (encoding or "").lower().replace("-", "").replace("_", "").startswith("utf")
