"""SG307: `2>&1` stands before the file, and the errors don't get there."""

from __future__ import annotations

from collections.abc import Iterator

from shellguard.finding import Applicability, Edit, Finding, Fix, Related, Severity
from shellguard.flow.facts import Facts
from shellguard.flow.redirection_order import MissedFile, missed_files
from shellguard.source import Span

CODE = "SG307"


def check(facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each `2>&1` that comes too early."""
    for found in missed_files(facts):
        file = facts.text[found.file.target.start : found.file.target.end]
        name = facts.commands.shown_name(found.command)
        message = f"what `{name}` says when it fails doesn't go to `{file}`: `2>&1` stands before it"
        related = (Related(found.file.span, "only the output goes here"),)
        yield Finding(CODE, Severity.ERROR, found.duplicate.span, message, related, _fix(facts, found))


def _fix(facts: Facts, found: MissedFile) -> Fix:
    """Write `2>&1` behind the file."""
    start = found.duplicate.start
    while facts.text[start - 1] in " \t":
        start -= 1
    removal = Edit(Span(start, found.duplicate.end), "")
    return Fix(
        Applicability.SAFE,
        "write `2>&1` behind the file",
        (removal, Edit(Span(found.file.end, found.file.end), " 2>&1")),
    )
