"""`shellguard map`: where the failure of each command goes."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from shellguard.cli.errors import CANNOT, tell
from shellguard.cli.options import STDIN
from shellguard.cli.sections import HELP_NAMES
from shellguard.cli.stdin import STDIN_NAME, read_standard_input
from shellguard.finding import NotChecked, ScriptMap
from shellguard.report.colour import ColourChoice, detect_style
from shellguard.source import Dialect, Source, UndecodableSourceError, decode

if TYPE_CHECKING:
    from collections.abc import Iterator

_EPILOG = """\b
Exit status:
  0  mapped, and no script is below --min-coverage
  1  a script is below --min-coverage
  2  something could not be mapped
"""


@click.command(context_settings=HELP_NAMES, short_help="Show where each command's failure goes.", epilog=_EPILOG)
@click.argument("paths", metavar="FILE...", nargs=-1, required=True)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to write the map.")
@click.option(
    "--min-coverage",
    type=click.IntRange(0, 100),
    metavar="PERCENT",
    help="End with 1 when fewer failures stop a script, are returned or handled.",
)
@click.option(
    "--dialect", type=click.Choice([str(item) for item in Dialect]), help="Take every script for this shell's."
)
@click.option(
    "--color", type=click.Choice([str(item) for item in ColourChoice]), default="auto", help="When to use colours."
)
def command(paths: tuple[str, ...], form: str, min_coverage: int | None, dialect: str | None, color: str) -> int:
    """Show what becomes of the failure of each command, all others succeeding; '-' is standard input.

    A failure stops the script, is returned (the script runs on and ends with another status than 0), handled (another
    branch is taken, and the script ends with 0), ignored on purpose, only logged, or lost. It depends where the script
    ends with 0 on some paths only, and is unknown where its text doesn't tell.
    """
    from shellguard.report.map_json import map_json
    from shellguard.report.map_text import coverage, map_lines, percent

    found = list(_maps(paths, Dialect(dialect) if dialect else None))
    maps = [item for item in found if isinstance(item, ScriptMap)]
    missing = [item for item in found if isinstance(item, NotChecked)]
    if form == "json":
        sys.stdout.write(map_json(maps, missing))
    else:
        style = detect_style(sys.stdout, os.environ, choice=ColourChoice(color))
        for index, script in enumerate(maps):
            sys.stdout.writelines(f"{line}\n" for line in ([""] if index else []))
            sys.stdout.writelines(f"{line}\n" for line in map_lines(script, style))
    for item in missing:
        place = f":{item.line}" if item.line is not None else ""
        tell(f"{item.path}{place}: not mapped: {item.reason}")
    if missing:
        return CANNOT
    return int(min_coverage is not None and any(percent(coverage(item.commands)) < min_coverage for item in maps))


def _maps(paths: tuple[str, ...], dialect: Dialect | None) -> Iterator[ScriptMap | NotChecked]:
    """Map each script."""
    from shellguard.mapping import map_file, map_source

    for path in paths:
        if path != STDIN:
            yield map_file(path, dialect=dialect)
            continue
        try:
            source = Source(STDIN_NAME, decode(read_standard_input()))
        except UndecodableSourceError:
            yield NotChecked(STDIN_NAME, "it has a NUL byte, so it is no text")
        except OSError as error:
            yield NotChecked(STDIN_NAME, (error.strerror or str(error)).lower())
        else:
            yield map_source(source, dialect=dialect)
