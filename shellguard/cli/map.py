"""`shellguard map`: where the failure of each command goes."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from shellguard.cli.errors import CANNOT, tell
from shellguard.cli.options import STDIN
from shellguard.cli.output import destination, overwritten_script
from shellguard.cli.sections import HELP_NAMES
from shellguard.cli.stdin import STDIN_NAME, read_standard_input
from shellguard.finding import NotChecked, ScriptMap
from shellguard.report.colour import ColourChoice, detect_style
from shellguard.source import Dialect, Source, UndecodableSourceError, decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shellguard.report.style import Style

_FORMATS = ("text", "json", "html")
_EPILOG = """\b
Exit status:
  0  mapped, and no script is below --min-coverage
  1  a script is below --min-coverage
  2  something could not be mapped
"""


@click.command(context_settings=HELP_NAMES, short_help="Show where each command's failure goes.", epilog=_EPILOG)
@click.argument("paths", metavar="FILE...", nargs=-1, required=True)
@click.option("--format", "form", type=click.Choice(_FORMATS), default="text", help="How to write the map.")
@click.option("--output", metavar="FILE", help="Write the map to a file instead of standard output.")
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
def command(
    paths: tuple[str, ...],
    form: str,
    output: str | None,
    min_coverage: int | None,
    dialect: str | None,
    color: str,
) -> int:
    """Show what becomes of the failure of each command, all others succeeding; '-' is standard input.

    A folder stands for the scripts in it that `shellguard lint` would check.

    A failure stops the script, is returned (the script runs on and ends with another status than 0), handled (another
    branch is taken, and the script ends with 0), ignored on purpose, only logged, or lost. It depends where the script
    ends with 0 on some paths only, and is unknown where its text doesn't tell.
    """
    paths, unread = _scripts(paths)
    spared = overwritten_script(output, [path for path in paths if path != STDIN]) if output is not None else None
    if spared is not None:
        problem = f"'{output}' is the script {spared}, which the map would replace."
        raise click.BadParameter(problem, param_hint="--output")
    found = [*_maps(paths, Dialect(dialect) if dialect else None), *unread]
    maps = [item for item in found if isinstance(item, ScriptMap)]
    missing = [item for item in found if isinstance(item, NotChecked)]
    with destination(output, sys.stdout) as stream:
        stream.write(_written(maps, missing, form, detect_style(stream, os.environ, choice=ColourChoice(color))))
    for item in missing:
        place = f":{item.line}" if item.line is not None else ""
        tell(f"{item.path}{place}: not mapped: {item.reason}")
    if missing:
        return CANNOT
    return int(min_coverage is not None and _is_below(maps, min_coverage))


def _written(maps: list[ScriptMap], missing: list[NotChecked], form: str, style: Style) -> str:
    """The maps in one of the formats."""
    if form == "json":
        from shellguard.report.map_json import map_json

        return map_json(maps, missing)
    if form == "html":
        from shellguard.report.map_html import map_html

        return map_html(maps, missing)
    from shellguard.report.map_text import map_lines

    return "\n".join("".join(f"{line}\n" for line in map_lines(script, style)) for script in maps)


def _is_below(maps: list[ScriptMap], least: int) -> bool:
    """Whether a script is below the least coverage; tells which."""
    from shellguard.report.map_text import coverage, percent

    below = [(item.source.path, percent(coverage(item.commands))) for item in maps]
    below = [(path, share) for path, share in below if share < least]
    for path, share in below:
        tell(f"{path}: failure coverage {share} % is below the {least} % of --min-coverage")
    return bool(below)


def _scripts(paths: tuple[str, ...]) -> tuple[tuple[str, ...], list[NotChecked]]:
    """The paths with the scripts of folders in their place, and what of folders isn't checked."""
    from shellguard.discovery import discover

    scripts: list[str] = []
    unread: list[NotChecked] = []
    for path in paths:
        if not os.path.isdir(path):  # noqa: PTH112 -- pathlib reads an empty path as the working directory
            scripts.append(path)
            continue
        found = discover([path])
        scripts += [file.path for file in found.files]
        unread += found.not_checked or ([NotChecked(path, "no shell script was found")] if not found.files else [])
    return tuple(scripts), unread


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
