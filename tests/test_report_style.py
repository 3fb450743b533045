"""When a report has colours, how wide it is, and whether it may use more than ASCII."""

from __future__ import annotations

import os
import pty
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from shellguard.report.colour import ColourChoice, detect_style
from shellguard.report.style import Role, Style

AUTO, ALWAYS, NEVER = ColourChoice


@dataclass(frozen=True)
class Stream:
    """A stream of a given kind that has no descriptor."""

    terminal: bool = True
    encoding: str | None = "utf-8"

    def isatty(self) -> bool:
        return self.terminal

    def fileno(self) -> int:
        raise OSError("this stream has no descriptor")


@pytest.mark.parametrize(
    ("choice", "environ", "terminal", "colour"),
    [
        (AUTO, {}, True, True),
        (AUTO, {}, False, False),
        (AUTO, {"TERM": "dumb"}, True, False),
        (AUTO, {"TERM": "xterm"}, True, True),
        (AUTO, {"NO_COLOR": "1"}, True, False),
        (AUTO, {"NO_COLOR": ""}, True, True),
        (AUTO, {"FORCE_COLOR": "1"}, False, True),
        (AUTO, {"FORCE_COLOR": "1", "TERM": "dumb"}, False, True),
        (AUTO, {"FORCE_COLOR": ""}, False, False),
        (AUTO, {"FORCE_COLOR": "0"}, True, False),
        (AUTO, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        (ALWAYS, {"NO_COLOR": "1", "TERM": "dumb"}, False, True),
        (NEVER, {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_colour(choice: ColourChoice, environ: Mapping[str, str], terminal: bool, colour: bool) -> None:  # noqa: FBT001 -- a table's columns
    assert detect_style(Stream(terminal=terminal), environ, choice=choice).colour is colour


@pytest.mark.parametrize(
    ("encoding", "unicode"),
    [
        ("utf-8", True),
        ("UTF8", True),
        ("utf_16", True),
        ("ascii", False),
        ("ISO-8859-1", False),
        ("cp1252", False),
        (None, False),
    ],
)
def test_characters(encoding: str | None, unicode: bool) -> None:  # noqa: FBT001 -- a table's columns
    assert detect_style(Stream(encoding=encoding), {}).unicode is unicode


@pytest.mark.parametrize(
    ("columns", "width"),
    [
        ("132", 132),
        ("12", 40),
        ("0", 80),
        ("", 80),
        ("wide", 80),
        ("-5", 80),
        ("²", 80),
        ("00120", 120),
        ("9" * 5000, 80),
        ("0" * 5000 + "99", 80),
    ],
)
def test_width_from_the_environment(columns: str, width: int) -> None:
    assert detect_style(Stream(), {"COLUMNS": columns}).width == width


def test_width_of_a_terminal() -> None:
    import fcntl
    import struct
    import termios

    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 101, 0, 0))
    with os.fdopen(leader, "rb", buffering=0), os.fdopen(follower, "w", encoding="utf-8") as terminal:
        style = detect_style(terminal, {})
    assert style == Style(colour=True, width=101, unicode=True)


def test_paint() -> None:
    assert Style(colour=True).paint("lost", Role.ERROR) == "\x1b[1;31mlost\x1b[0m"
    assert Style(colour=True).paint("", Role.ERROR) == ""
    assert Style(colour=False).paint("lost", Role.ERROR) == "lost"
