"""`shellguard selftest`: does this installation do what it says?"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from shellguard.cli.errors import CANNOT, tell
from shellguard.cli.sections import HELP_NAMES
from shellguard.report.sanitise import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shellguard.cli.crosschecking import Comparison, Place
    from shellguard.selfcheck import Mark, Outcome

_EPILOG = """\b
Exit status:
  0  all is as it should be; with --crosscheck: no difference, or only such as
     known defects of bashlex explain
  1  something differs
  2  the job could not be done: bashlex is missing, a file could not be read,
     nothing to compare
"""
_SHOWN = 200


@click.command(
    context_settings=HELP_NAMES, short_help="Check that this installation does what it says.", epilog=_EPILOG
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--crosscheck", is_flag=True, help="Compare the parser with bashlex on the scripts under each PATH.")
def command(paths: tuple[str, ...], crosscheck: bool) -> int:  # noqa: FBT001 -- click calls it with keywords
    """Check that this installation does what it says.

    Without options, the examples of every rule's page are checked: that the bad ones are found where the page marks
    them, and the good ones are silent. With --crosscheck, your own scripts are parsed by shellguard and by bashlex, and
    the two trees compared: commands, words, redirections, and how they nest. Nothing is executed.
    """
    if crosscheck:
        return _crosscheck(paths or (".",))
    if paths:
        raise click.UsageError("paths are for --crosscheck: the rules' examples come with shellguard.")
    return _controls()


def _controls() -> int:
    """Check the rule pages' examples."""
    from shellguard.pages import load_pages
    from shellguard.selfcheck import outcomes

    pages = load_pages()
    checked = list(outcomes(pages))
    wrong = [outcome for outcome in checked if outcome.wanted != outcome.found]
    for outcome in wrong:
        click.echo(_difference(outcome))
    numbers = Counter(outcome.page.code for outcome in checked)
    for code in pages:
        bad = sum(1 for outcome in wrong if outcome.page.code == code)
        click.echo(f"{code}  {numbers[code]:4} examples, {bad or 'none'} other than the page says")
    return int(bool(wrong)) if checked else CANNOT


def _difference(outcome: Outcome) -> str:
    place = f"{outcome.page.path.name}:{outcome.control.line}"
    return (
        f"{place}: {outcome.control.kind.value} example: expected {_told(outcome.wanted)}, found {_told(outcome.found)}"
    )


def _told(marks: Iterable[Mark]) -> str:
    return ", ".join(f"{rule} {severity.label} in line {line}" for rule, line, severity in marks) or "nothing"


def _crosscheck(paths: tuple[str, ...]) -> int:
    """Compare the two parsers on the scripts under the paths."""
    from shellguard.cli.crosschecking import MissingBashlexError, compare_all

    try:
        comparison = compare_all(paths)
    except MissingBashlexError:
        tell(
            "--crosscheck compares with bashlex, which isn't installed",
            "Install the extra: pip install '.[crosscheck]' in shellguard's checkout, or pip install bashlex.",
        )
        return CANNOT
    for reason in comparison.unreadable:
        tell(reason)
    _show(comparison)
    if comparison.unreadable or not comparison.compared:
        return CANNOT
    return int(any(not place.defect for place in comparison.places))


def _show(comparison: Comparison) -> None:
    """Tell what was compared, what wasn't, and what differs."""
    # What bashlex's defects don't explain comes first.
    for place in sorted(comparison.places, key=lambda place: bool(place.defect))[:_SHOWN]:
        _show_place(place)
    if len(comparison.places) > _SHOWN:
        click.echo(f"and {len(comparison.places) - _SHOWN} more places")
    defects = Counter(place.defect for place in comparison.places if place.defect)
    unexplained = sum(1 for place in comparison.places if not place.defect)
    click.echo(f"files                                     {comparison.files:8,}")
    click.echo(f"  compared whole                          {comparison.whole:8,}")
    click.echo(f"  compared in part, command by command    {comparison.partial:8,}")
    click.echo(
        f"  bashlex parses nothing of them          {comparison.files - comparison.whole - comparison.partial:8,}"
    )
    click.echo(f"commands at top level                     {comparison.commands:8,}")
    click.echo(f"  compared                                {comparison.compared:8,}")
    for reason, number in sorted(comparison.reasons.items(), key=lambda pair: (-pair[1], pair[0])):
        click.echo(f"  not compared: {visible(reason):26}{number:8,}")
    click.echo(f"places where the two differ               {len(comparison.places):8,}")
    for defect, number in sorted(defects.items()):
        click.echo(f"  bashlex: {defect:31}{number:8,}")
    click.echo(f"  unexplained                             {unexplained:8,}")


def _show_place(place: Place) -> None:
    click.echo(f"{visible(place.path)}:{place.line}:{place.column}: {visible(place.explanation)}")
    click.echo(f"  shellguard: {visible(place.ours)}")
    click.echo(f"  bashlex:    {visible(place.theirs)}")
