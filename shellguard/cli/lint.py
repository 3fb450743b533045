"""`shellguard lint`: check scripts, and repair them on request."""

from __future__ import annotations

import errno
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

import click

from shellguard.cli.errors import CANNOT, TRACEBACK, tell
from shellguard.cli.options import STDIN, Options, parameters
from shellguard.cli.output import write_report
from shellguard.cli.progress import Progress
from shellguard.cli.sections import HELP_NAMES, SectionCommand
from shellguard.cli.selection import selected_rules
from shellguard.discovery import ExcludePatternError, discover
from shellguard.engine import Settings, available_cores, check_files, check_text, gather
from shellguard.finding import Report, Severity
from shellguard.pages import Profile, load_pages
from shellguard.report.colour import ColourChoice
from shellguard.report.sanitise import visible
from shellguard.source import Dialect

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shellguard.pages import RulePage

_EPILOG = """\b
Examples:
  shellguard lint                         every script in this folder
  shellguard lint --diff run.sh           what --fix would change
  shellguard lint --select SG1,SG301 bin  some rules only
  ssh host cat run.sh | shellguard lint -

\b
Exit status:
  0  checked, and found nothing at or above --fail-on
  1  findings
  2  the job could not be done: wrong usage, a file that could not be read or
     analysed, nothing to check, output that could not be written
"""


def lint(**options: Unpack[Options]) -> int:
    """Find the ways in which shell scripts fail and still report success.

    A PATH is a script or a folder, which is searched for scripts; '-' is standard input. Without one, the current
    folder is searched. What git ignores is left out unless it is given by name.
    """
    _refuse_nonsense(options)
    pages = load_pages()
    settings = _settings(options, pages)
    report = _check(options, settings)
    status = exit_status(report, options)
    if status or not options["quiet"]:
        write_report(report, pages, options["format"], colour=ColourChoice(options["color"]), path=options["output"])
    if options["verbose"]:
        _list_files(report)
    if report == Report() and not options["allow_empty"]:
        tell("nothing was checked: no shell script was found (--allow-empty makes this a success)")
    return status


command = SectionCommand(
    "lint",
    callback=lint,
    params=parameters(),
    epilog=_EPILOG,
    help=lint.__doc__,
    short_help="Check scripts, and repair them on request.",
    context_settings=HELP_NAMES,
)


def exit_status(report: Report, options: Options) -> int:
    """0, 1 or 2, whatever the format: 2 when something was not checked, else 1 for findings that count."""
    files = report.files
    if report.not_checked or any(file.not_checked for file in files):
        return CANNOT
    if not files and not options["allow_empty"]:
        return CANNOT
    threshold = Severity[options["fail_on"].upper()]
    has_failed = any(finding.severity >= threshold for file in files for finding in file.findings)
    return int(has_failed and not options["exit_zero"])


def _refuse_nonsense(options: Options) -> None:
    """Refuse options that contradict each other or would have no effect."""
    paths = options["paths"]
    if STDIN in paths and len(paths) > 1:
        raise click.UsageError("'-' (standard input) can't be checked together with other paths.", _context())
    if options["stdin_filename"] is not None and paths != (STDIN,):
        raise click.UsageError("--stdin-filename is for standard input: give '-' as the path.", _context())
    if options["diff"] and options["fix"]:
        raise click.UsageError("--diff changes nothing and --fix does: choose one.", _context())


def _context() -> click.Context | None:
    return click.get_current_context(silent=True)


def _settings(options: Options, pages: Mapping[str, RulePage]) -> Settings:
    rules = selected_rules(pages, Profile(options["profile"]), select=options["select"], ignore=options["ignore"])
    dialect = Dialect(options["dialect"]) if options["dialect"] else None
    return Settings(rules, dialect, raise_crashes=bool(os.environ.get(TRACEBACK)))


def _check(options: Options, settings: Settings) -> Report:
    """Check what the paths stand for."""
    paths = options["paths"] or (".",)
    if paths == (STDIN,):
        return gather([check_text(options["stdin_filename"] or "<stdin>", _read_stdin(), settings)])
    try:
        discovery = discover(paths, exclude=options["exclude"], override=settings.dialect)
    except ExcludePatternError as error:
        raise click.BadParameter(str(error), _context(), param_hint="--exclude") from error
    found = [file.path for file in discovery.files]
    with Progress(len(found)) as progress:
        report = check_files(found, settings, jobs=options["jobs"] or available_cores(), progress=progress)
    return replace(report, not_checked=(*discovery.not_checked, *report.not_checked))


def _read_stdin() -> bytes:
    if sys.stdin is None:  # closed before we started
        raise OSError(errno.EBADF, "standard input is closed", "<stdin>")
    return sys.stdin.buffer.read()


def _list_files(report: Report) -> None:
    for file in report.files:
        tell(f"checked {visible(file.source.path)} ({file.lines} lines, {file.commands} commands)")
