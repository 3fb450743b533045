"""Where a report goes, and in which form."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING

from shellguard.report.colour import ColourChoice, detect_style
from shellguard.report.sanitise import visible
from shellguard.report.style import Role
from shellguard.source import encode

if TYPE_CHECKING:
    from typing import TextIO

    from shellguard.finding import Report
    from shellguard.pages import RulePage
    from shellguard.report import Format

FORMATS: Mapping[str, str] = {"text": "text", "concise": "concise", "json": "json_report"}
"""The formats' names, and the modules of `shellguard.report` that write them."""

STANDARD = "-"
"""The path that stands for a standard stream."""


def overwritten_script(path: str, scripts: Iterable[str | int]) -> str | int | None:
    """Which of the scripts, given by path or by descriptor, writing to `path` would destroy, under whatever name.

    Raises:
        OSError: `path` can't be written to.
    """
    there = _writable(path) if path != STANDARD else None
    if there is None or not stat.S_ISREG(there.st_mode):
        return None
    for script in scripts:
        with suppress(OSError):
            if os.path.samestat(there, os.stat(script)):  # noqa: PTH116 -- takes descriptors, too
                return script
    return None


def _writable(path: str) -> os.stat_result | None:
    """What is at a path that can be written to; None if nothing is."""
    try:
        there = os.stat(path)  # noqa: PTH116 -- pathlib reads an empty path as the working directory
    except FileNotFoundError:
        folder = os.path.dirname(path) or "."  # noqa: PTH120 -- pathlib drops a slash at the end
        if not path or not os.path.isdir(folder):  # noqa: PTH112
            raise
        if not os.access(folder, os.W_OK | os.X_OK):
            raise _error(errno.EACCES, path) from None
        return None
    if stat.S_ISDIR(there.st_mode):
        raise _error(errno.EISDIR, path)
    if not os.access(path, os.W_OK):
        raise _error(errno.EACCES, path)
    return there


def _error(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)


@contextmanager
def destination(path: str | None, otherwise: TextIO) -> Iterator[TextIO]:
    """The file that `--output` names, or another stream without one or for `-`; complete when the context ends.

    Raises:
        OSError: it can't be written to.
    """
    if path is None or path == STANDARD:
        yield otherwise
        otherwise.flush()
        return
    try:
        with open(path, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123 -- the path as given, for messages
            yield file
    except OSError as error:
        if error.filename is None:
            error.filename = path
        raise


def write_report(
    report: Report, pages: Mapping[str, RulePage], form: str, *, colour: ColourChoice, stream: TextIO
) -> None:
    """Write a report in one of the formats."""
    writer: Format = import_module(f"shellguard.report.{FORMATS[form]}")
    style = detect_style(stream, os.environ, choice=colour)
    # Put together first, so that an OSError can only be about the stream.
    stream.write("".join(writer.render(report, pages, style)))


def write_patch(patch: str, *, colour: ColourChoice, stream: TextIO) -> None:
    """Write a patch: to the byte for programs, readable and harmless on a terminal."""
    if not stream.isatty():
        stream.buffer.write(encode(patch))
        return
    style = detect_style(stream, os.environ, choice=colour)
    roles = {"+": Role.ADDED, "-": Role.REMOVED, "@": Role.FAINT}
    for line in patch.split("\n")[:-1]:
        shown = visible(line.expandtabs(), unicode=style.unicode)
        stream.write(style.paint(shown, roles.get(line[:1], Role.PLAIN)) + "\n")
