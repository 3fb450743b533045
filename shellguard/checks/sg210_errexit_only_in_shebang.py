"""SG210: errexit hangs on the first line's options, and is off when the script is started as `bash script`."""

from __future__ import annotations

from collections.abc import Iterator

from shellguard.finding import Applicability, Edit, Finding, Fix, Related, Severity
from shellguard.flow.facts import Facts
from shellguard.flow.first_line import FirstLine, errexit_of_first_line
from shellguard.flow.overwritten import is_work
from shellguard.source import Span

CODE = "SG210"


def check(facts: Facts) -> Iterator[Finding]:
    """Yield a finding where a failure is lost without the options of the first line."""
    found = errexit_of_first_line(facts)
    if found is None:
        return
    shell = facts.shell.dialect
    related: tuple[Related, ...] = ()
    if found.is_broken:
        message = f"`env` looks for a program `{shell} {found.options}`; and as `{shell} script` this has no errexit"
    else:
        lost = [command for command in facts.stopped_by_first_line() if is_work(facts, command)]
        if not lost:
            return
        name = facts.commands.shown_name(lost[0])
        message = (
            f"started as `{shell} script` this has no errexit: if `{name}` fails then, the script still ends with 0"
        )
        related = (Related(lost[0].span, f"without errexit, the script goes on when `{name}` fails here"),)
    span = Span(found.span.end - len(found.options), found.span.end)
    yield Finding(CODE, Severity.WARNING, span, message, related, _fix(facts, found))


def _fix(facts: Facts, found: FirstLine) -> Fix:
    """Move the options into the script."""
    message = f"write `set {found.options}` as the first command"
    commands = facts.script.body.commands
    first = commands[0].start if commands else 0
    line_start = facts.text.rfind("\n", 0, first) + 1
    if not found.can_move or not line_start or facts.text[line_start:first].strip():
        return Fix(Applicability.SUGGEST, message)
    insertion = Edit(Span(line_start, line_start), f"set {found.options}\n")
    return Fix(Applicability.SAFE, message, (Edit(found.span, ""), insertion))
