"""`shellguard lint`: check scripts, and repair them on request."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from shellguard.cli.errors import CANNOT, TRACEBACK, tell
from shellguard.cli.fixing import applicable, patch, repairs, save, tell_fixed, with_repaired
from shellguard.cli.options import STDIN, Options, parameters
from shellguard.cli.output import STANDARD, destination, overwritten_script, write_patch, write_report
from shellguard.cli.progress import Progress
from shellguard.cli.sections import HELP_NAMES, SectionCommand
from shellguard.cli.selection import selected_rules
from shellguard.cli.stdin import STDIN_DESCRIPTOR, STDIN_NAME, read_standard_input
from shellguard.discovery import Discovery, ExcludePatternError, discover
from shellguard.engine import Settings, available_cores, check_files, check_text, gather
from shellguard.finding import Report, Severity
from shellguard.pages import Profile, load_pages
from shellguard.report.colour import ColourChoice
from shellguard.report.sanitise import visible
from shellguard.report.style import Style
from shellguard.report.summary import count, not_checked, summary_line
from shellguard.source import Dialect, encode

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
    data = read_standard_input() if STDIN in options["paths"] else None
    discovery = _discover(options, settings) if data is None else Discovery()
    _spare_scripts(options["output"], discovery, data)
    report = _check(discovery, settings, options, data)
    if options["diff"]:
        return _show_diff(report, settings, options)
    is_fixing = options["fix"] or options["unsafe_fixes"]
    is_saved = True
    if is_fixing:
        report, is_saved = _fix(report, settings, options, data)
    status = exit_status(report, options) if is_saved else CANNOT
    # A file would go on telling of the run before.
    has_findings = any(file.findings for file in report.files)
    if status or has_findings or not options["quiet"] or options["output"] not in {None, STANDARD}:
        # With --fix, a script from standard input goes to standard output.
        stream = sys.stderr if is_fixing and data is not None else sys.stdout
        with destination(options["output"], stream) as target:
            write_report(report, pages, options["format"], colour=ColourChoice(options["color"]), stream=target)
    _tell_more(report, options)
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
    if not options["allow_empty"] and all(file.is_blank for file in files):
        return CANNOT
    threshold = Severity[options["fail_on"].upper()]
    has_failed = any(finding.severity >= threshold for file in files for finding in file.findings)
    return int(has_failed and not options["exit_zero"])


def _refuse_nonsense(options: Options) -> None:
    """Refuse options that contradict each other or would have no effect."""
    paths = options["paths"]
    if "" in paths:
        raise click.UsageError("one of the paths is empty: is a variable unset?", _context())
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


def _discover(options: Options, settings: Settings) -> Discovery:
    if not all(path.startswith("/") for path in options["paths"] or (".",)):
        _demand_working_directory()
    try:
        return discover(options["paths"] or (".",), exclude=options["exclude"], override=settings.dialect)
    except ExcludePatternError as error:
        raise click.BadParameter(str(error), _context(), param_hint="--exclude") from error


def _demand_working_directory() -> None:
    try:
        Path.cwd()
    except FileNotFoundError as error:
        problem = "the working directory is gone: change to one that exists, or give absolute paths"
        raise click.ClickException(problem) from error


def _spare_scripts(output: str | None, discovery: Discovery, data: bytes | None) -> None:
    """Refuse to write the report over what is checked, before anything is done."""
    if output is None:
        return
    found = [file.path for file in discovery.files]
    left_out = [entry.path for entry in discovery.not_checked]
    spared = overwritten_script(output, [*found, *left_out] if data is None else [STDIN_DESCRIPTOR])
    if spared is not None:
        what = "the script on standard input" if spared == STDIN_DESCRIPTOR else f"the script {spared}"
        problem = f"'{output}' is {what}, which the report would replace."
        raise click.BadParameter(problem, _context(), param_hint="--output")


def _check(discovery: Discovery, settings: Settings, options: Options, data: bytes | None) -> Report:
    """Check standard input's data, or what was found."""
    if data is not None:
        return gather([check_text(options["stdin_filename"] or STDIN_NAME, data, settings)])
    found = [file.path for file in discovery.files]
    with Progress(len(found)) as progress:
        report = check_files(found, settings, jobs=options["jobs"] or available_cores(), progress=progress)
    return replace(report, not_checked=(*discovery.not_checked, *report.not_checked))


def _fix(report: Report, settings: Settings, options: Options, data: bytes | None) -> tuple[Report, bool]:
    """Apply fixes; give the report on what is left, and whether everything was saved."""
    wanted = applicable(unsafe=options["unsafe_fixes"])
    repaired = list(repairs(report, settings, wanted))
    if data is None:
        saved = [repair for repair in repaired if save(repair, options["paths"] or (".",))]
    else:
        saved = repaired
        sys.stdout.buffer.write(encode(saved[0].result.text) if saved else data)
        sys.stdout.flush()
    if not options["quiet"]:
        tell_fixed(saved, "fixed")
    return with_repaired(report, saved), len(saved) == len(repaired)


def _show_diff(report: Report, settings: Settings, options: Options) -> int:
    """Print what fixes would change, and on stderr what else there is to know."""
    repaired = list(repairs(report, settings, applicable(unsafe=options["unsafe_fixes"])))
    with destination(options["output"], sys.stdout) as target:
        write_patch(patch(repaired), colour=ColourChoice(options["color"]), stream=target)
    for entry in not_checked(report):
        place = visible(entry.path) if entry.line is None else f"{visible(entry.path)}:{entry.line}"
        tell(f"{place}: not checked: {visible(entry.reason)}")
    status = exit_status(report, options)
    if status or not options["quiet"]:
        tell(summary_line(count(report), Style()))
        tell_fixed(repaired, "the fixes shown take away")
    _tell_more(report, options)
    return status


def _tell_more(report: Report, options: Options) -> None:
    """Tell on stderr what no format of the report holds."""
    if options["verbose"]:
        for file in report.files:
            size = "empty" if file.is_blank else f"{file.lines} lines, {file.commands} commands"
            tell(f"checked {visible(file.source.path)} ({size})")
    if not report.not_checked and not options["allow_empty"] and all(file.is_blank for file in report.files):
        tell(f"nothing was checked: {_what_is_missing(report, options)} (--allow-empty makes this a success)")


def _what_is_missing(report: Report, options: Options) -> str:
    if not report.files:
        return "no shell script was found"
    if STDIN in options["paths"]:
        return "standard input is empty"
    return f"{report.files[0].source.path} is empty" if len(report.files) == 1 else "all scripts are empty"
