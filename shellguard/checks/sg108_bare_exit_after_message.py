"""SG108: `exit` without a status, after a message about a failure, ends with the message's 0."""

from __future__ import annotations

from collections.abc import Iterator

from shellguard.finding import Applicability, Edit, Finding, Fix, Related, Severity
from shellguard.flow.facts import Facts
from shellguard.flow.messages import SilencedExit, silenced_exits
from shellguard.source import Span

CODE = "SG108"


def check(facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each bare exit that follows a message about a failure."""
    for found in silenced_exits(facts):
        word = found.command.words[0]
        yield Finding(
            CODE,
            Severity.ERROR,
            word.span,
            _message(facts, found),
            (Related(found.message.span, "the status that is handed on is that of this message"),),
            Fix(Applicability.SAFE, f"write `{word.literal} 1`", (Edit(Span(word.end, word.end), " 1"),)),
        )


def _message(facts: Facts, found: SilencedExit) -> str:
    """Say what ends with 0."""
    name = facts.commands.shown_name(found.message)
    what = "the script ends" if found.command.words[0].literal == "exit" else "the function returns"
    job = f"when `{facts.commands.shown_name(found.job)}` fails, " if found.job is not None else ""
    return f"{job}{what} with 0 after all: without a status, `{found.command.words[0].literal}` takes that of `{name}`"
