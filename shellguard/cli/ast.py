"""`shellguard ast`: a script's syntax tree."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from shellguard import __version__
from shellguard.cli.errors import CANNOT, tell
from shellguard.cli.options import STDIN
from shellguard.cli.sections import HELP_NAMES
from shellguard.cli.stdin import STDIN_NAME, read_standard_input
from shellguard.discovery import read_source
from shellguard.report.sanitise import visible
from shellguard.source import Source, UndecodableSourceError, decode
from shellguard.syntax import parse
from shellguard.syntax.export import json_text, outline, to_json

if TYPE_CHECKING:
    from shellguard.syntax.nodes import Script

SCHEMA = 1
"""The version of the JSON form; it changes when a reader of the old form would break."""

_EPILOG = """\b
Exit status:
  0  parsed
  1  parsed, but a shell would find syntax errors (they are listed)
  2  the file could not be read
"""


@click.command(context_settings=HELP_NAMES, short_help="Show a script's syntax tree.", epilog=_EPILOG)
@click.argument("path", metavar="FILE")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to write the tree.")
def command(path: str, form: str) -> int:
    """Show the syntax tree of a script; '-' is standard input.

    As text, each line is a node: where it stands (line:column, ends exclusive), what it is, and what it holds. Syntax
    errors are listed at the end, and so is what a shell would only find wrong when it runs it ("deferred").
    """
    source = _read(path)
    if source is None:
        return CANNOT
    script = parse(source.text)
    if form == "json":
        sys.stdout.writelines(_document(script, source))
    else:
        unicode = (sys.stdout.encoding or "").lower().startswith("utf")
        sys.stdout.writelines(f"{visible(line, unicode=unicode)}\n" for line in outline(script, source))
    return int(any(not issue.deferred for issue in script.issues))


def _read(path: str) -> Source | None:
    """Read the script; say what is wrong where that can't be done."""
    try:
        return Source(STDIN_NAME, decode(read_standard_input())) if path == STDIN else read_source(path)
    except UndecodableSourceError as error:
        tell(f"{visible(path)}: not parsed: it has a NUL byte (at byte {error.offset + 1}), so it is no text")
    except OSError as error:
        tell(f"{visible(path)}: {(error.strerror or str(error)).lower()}")
    return None


def _document(script: Script, source: Source) -> list[str]:
    """The JSON document in pieces."""
    tool = f'{{"name": "shellguard", "version": {json_text(__version__)}}}'
    head = f'{{"schema": {SCHEMA}, "tool": {tool}, "path": {json_text(source.path)}, "script": '
    return [head, *to_json(script, source), "}\n"]
