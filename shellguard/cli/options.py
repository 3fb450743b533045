"""The options of `shellguard lint`, in the order in which its help lists them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypedDict

import click

from shellguard.cli.output import FORMATS
from shellguard.cli.sections import OTHER, SectionOption
from shellguard.finding import Severity
from shellguard.pages import Profile
from shellguard.report.colour import ColourChoice
from shellguard.source import Dialect

STDIN = "-"
"""The path that stands for standard input."""

_FILES, _RULES, _OUTPUT, _FIXES, _STATUS = "Files", "Rules", "Output", "Fixes", "Exit status"


class Options(TypedDict):
    """The options' values as click hands them over."""

    paths: tuple[str, ...]
    exclude: tuple[str, ...]
    stdin_filename: str | None
    dialect: str | None
    profile: str
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    format: str
    output: str | None
    color: str
    quiet: bool
    verbose: bool
    diff: bool
    fix: bool
    unsafe_fixes: bool
    fail_on: str
    exit_zero: bool
    allow_empty: bool
    jobs: int | None
    no_config: bool
    no_cache: bool


def _option(section: str, *declarations: str, **attributes: Any) -> click.Option:  # noqa: ANN401 -- click's own signature
    return SectionOption(declarations, section=section, **attributes)


def _flag(section: str, *declarations: str, text: str) -> click.Option:
    return SectionOption(declarations, section=section, is_flag=True, help=text)


def _choice(section: str, name: str, words: Iterable[str], default: str | None, text: str) -> click.Option:
    # Plain strings: click shows the members of an enumeration by their upper-case names.
    choice = click.Choice([str(word) for word in words])
    shown = f"{text}  [default: {default}]" if default else text
    return SectionOption((name,), section=section, type=choice, default=default and str(default), help=shown)


def parameters() -> list[click.Parameter]:
    """The paths and every option."""
    severities = [severity.label for severity in sorted(Severity, reverse=True)]
    return [
        click.Argument(("paths",), nargs=-1, metavar="[PATH]..."),
        _option(
            _FILES,
            "--exclude",
            metavar="PATTERN",
            multiple=True,
            help="Leave out what matches this gitignore pattern when searching folders; repeatable.",
        ),
        _option(_FILES, "--stdin-filename", metavar="NAME", help="The path to report standard input under."),
        _choice(_FILES, "--dialect", Dialect, None, "Take every script for this shell's, whatever it says."),
        _choice(_RULES, "--profile", Profile, Profile.DEFAULT, "How picky to be."),
        _option(
            _RULES,
            "--select",
            metavar="RULES",
            multiple=True,
            help="Look for these rules only: codes, names or prefixes (SG1), with commas; repeatable.",
        ),
        _option(_RULES, "--ignore", metavar="RULES", multiple=True, help="Don't look for these rules."),
        _choice(_OUTPUT, "--format", FORMATS, "text", "How to write the report."),
        _option(_OUTPUT, "--output", metavar="FILE", help="Write the report to this file; - is standard output."),
        _choice(_OUTPUT, "--color", ColourChoice, ColourChoice.AUTO, "Colours; auto: on a terminal."),
        _flag(_OUTPUT, "-q", "--quiet", text="Print nothing when nothing is wrong."),
        _flag(_OUTPUT, "-v", "--verbose", text="List the files that were checked."),
        _flag(_FIXES, "--diff", text="Print what --fix would change, and change nothing."),
        _flag(_FIXES, "--fix", text="Apply the safe fixes, then report what is left."),
        _flag(_FIXES, "--unsafe-fixes", text="Apply the unsafe fixes, too (with --diff: print them)."),
        _choice(_STATUS, "--fail-on", severities, "warning", "The lowest severity that makes the exit status 1."),
        _flag(_STATUS, "--exit-zero", text="Exit with 0 in spite of findings; 2 stays 2."),
        _flag(_STATUS, "--allow-empty", text="Exit with 0 when there was nothing to check."),
        _option(
            OTHER,
            "-j",
            "--jobs",
            type=click.IntRange(min=1),
            metavar="N",
            help="Processes to use (default: the cores).",
        ),
        _flag(OTHER, "--no-config", text="Read no config file."),
        _flag(OTHER, "--no-cache", text="Neither read nor write the cache."),
    ]
