"""Where a report goes, and in which form."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from shellguard.report.colour import ColourChoice, detect_style

if TYPE_CHECKING:
    from typing import TextIO

    from shellguard.finding import Report
    from shellguard.pages import RulePage
    from shellguard.report import Format

FORMATS: Mapping[str, str] = {"text": "text", "concise": "concise", "json": "json_report"}
"""The formats' names, and the modules of `shellguard.report` that write them."""


def write_report(
    report: Report, pages: Mapping[str, RulePage], form: str, *, colour: ColourChoice, path: str | None = None
) -> None:
    """Write a report to a file, or to stdout without one.

    Raises:
        OSError: it could not be written.
    """
    if path is None:
        _write(report, pages, form, colour=colour, stream=sys.stdout)
        return
    with open(path, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123 -- the path as given, for messages
        _write(report, pages, form, colour=colour, stream=file)


def _write(report: Report, pages: Mapping[str, RulePage], form: str, *, colour: ColourChoice, stream: TextIO) -> None:
    writer: Format = import_module(f"shellguard.report.{FORMATS[form]}")
    style = detect_style(stream, os.environ, choice=colour)
    # Put together first, so that an OSError can only be about the stream.
    stream.write("".join(writer.render(report, pages, style)))
    stream.flush()
