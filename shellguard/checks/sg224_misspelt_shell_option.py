"""SG224: a command that is meant to set an option of the shell doesn't."""

from __future__ import annotations

from collections.abc import Iterator

from shellguard.finding import Applicability, Edit, Finding, Fix, Severity
from shellguard.flow.facts import Facts
from shellguard.flow.misspelt_options import MisspeltOption, misspelt_options
from shellguard.source import Span

CODE = "SG224"


def check(facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each word that sets nothing."""
    for found in misspelt_options(facts):
        message = f"{found.option} isn't set by `{found.word.literal}`: {found.instead}"
        yield Finding(CODE, Severity.ERROR, found.word.span, message, (), _fix(facts, found))


def _fix(facts: Facts, found: MisspeltOption) -> Fix:
    """Write what is meant. With the option on, other failures may end the script."""
    command = facts.text[found.command.start : found.command.end]
    if found.replacement is not None:
        replacement = Edit(found.word.span, found.replacement)
        return Fix(Applicability.UNSAFE, f"write `{found.replacement}`", (replacement,))
    if not found.insertions:
        return Fix(Applicability.SUGGEST, f"write a command of its own for it: `{found.right}`")
    edits = tuple(Edit(Span(offset, offset), text) for offset, text in found.insertions)
    for offset, text in reversed(found.insertions):
        place = offset - found.command.start
        command = command[:place] + text + command[place:]
    return Fix(Applicability.UNSAFE, f"write `{command}`", edits)
